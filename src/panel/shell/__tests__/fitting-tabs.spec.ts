import { fitting } from '../fitting-tabs';

describe('the tabs that have a place in the row', () => {
  const widths = [60, 40, 50, 40];

  it.each([
    ['all, where there is room for all', 190, 0, [0, 1, 2, 3]],
    ['the first ones beside the button of the menu', 189, 0, [0, 1, 2]],
    ['fewer in a narrower row', 140, 0, [0, 1]],
    ['the one that is kept, in place of others', 189, 3, [0, 1, 3]],
    ['the one that is kept in any case', 30, 2, [2]],
    ['the first ones where none is kept', 140, -1, [0, 1]]
  ])('are %s', (_, row, kept, places) => {
    expect(fitting(widths, row, 24, kept)).toEqual(places);
  });
});
