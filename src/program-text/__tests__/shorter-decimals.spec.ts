import { shorterDecimal } from '../shorter-decimals';

describe('the decimal of a literal', () => {
  it('is the shortest one that is the same float32', () => {
    expect(shorterDecimal('0.8999999761581421', 'float32')).toBe('0.9');
    expect(shorterDecimal('0.10000000149011612', 'float32')).toBe('0.1');
    expect(shorterDecimal('-0.009999999776482582', 'float32')).toBe('-0.01');
    expect(shorterDecimal('3.1415927410125732', 'float32')).toBe('3.1415927');
    expect(shorterDecimal('1.0000000150474662e+30', 'float32')).toBe('1e+30');
  });

  it('stays whole where it is short, no float32, or no number', () => {
    expect(shorterDecimal('0.5', 'float32')).toBeNull();
    expect(shorterDecimal('1.0', 'float32')).toBeNull();
    expect(shorterDecimal('0.8999999761581421', 'float64')).toBeNull();
    expect(shorterDecimal('0.9000000000000001', 'float32')).toBeNull();
    expect(shorterDecimal('inf', 'float32')).toBeNull();
    expect(shorterDecimal('Literal(long)', 'float32')).toBeNull();
  });
});
