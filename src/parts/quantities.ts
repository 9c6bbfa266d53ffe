/** Numbers come in, their texts go out: the same ones as beside the lines of a cell. */
export * from '../model/quantities';
