/** Finds the computations of an HLO text as its lines arrive: first line, length, callers. */

/** A computation of an HLO module. */
export interface IComputation {
  readonly name: string;
  /**
   * The line that starts the computation, and the line of its closing brace; before the brace arrives, the last line so
   * far.
   */
  readonly first: number;
  last: number;
  readonly isEntry: boolean;
  /** The number of instructions, including the parameters. */
  instructions: number;
}

const HEADER = /^(ENTRY )?%?([\w.-]+) \(.*\{$/;
const ASSIGNED = /^(?:ROOT )?%?([\w.-]+) = /;
const CALLED =
  /\b(calls|to_apply|body|condition)=%?([\w.-]+)|\b(?:called_computations|branch_computations)=\{([^}]*)\}/g;

/** The names of the computations that an instruction calls; a loop's body comes before its condition. */
export function calledBy(line: string): string[] {
  const names: string[] = [];
  const [text] = line.split(', metadata={', 1);
  for (const [, attribute, name, listed] of text.matchAll(CALLED)) {
    if (attribute === 'body') {
      names.unshift(name);
    } else if (name !== undefined) {
      names.push(name);
    } else {
      names.push(
        ...listed.split(',').map(operand => operand.trim().replace('%', ''))
      );
    }
  }
  return names;
}

/** The computations in the lines that have arrived. */
export class HloStructure {
  /** Add further lines, without their indentation. */
  add(first: number, lines: readonly string[]): void {
    lines.forEach((line, i) => {
      const index = first + i;
      const header = HEADER.exec(line);
      if (header && !line.startsWith('HloModule')) {
        this._open = {
          name: header[2],
          first: index,
          last: index,
          isEntry: header[1] !== undefined,
          instructions: 0
        };
        this._byName.set(header[2], this._open);
        if (header[1] !== undefined) {
          this._entry = this._open;
        }
      } else if (this._open) {
        this._open.last = index;
        if (line.startsWith('}')) {
          this._open = null;
        } else if (ASSIGNED.test(line)) {
          this._open.instructions++;
          for (const name of calledBy(line)) {
            const callers = this._callers.get(name);
            if (callers) {
              callers.push(index);
            } else {
              this._callers.set(name, [index]);
            }
          }
        }
      }
    });
  }

  /** The computation where the program starts; null if its line has not arrived. */
  get entry(): IComputation | null {
    return this._entry;
  }

  /** The computation with this name; null if there is none, or if its line has not arrived. */
  computation(name: string): IComputation | null {
    return this._byName.get(name) ?? null;
  }

  /** The computation that this line starts. */
  startingAt(line: string): IComputation | null {
    const header = HEADER.exec(line);
    return header ? this.computation(header[2]) : null;
  }

  /** The lines of the instructions that call a computation. */
  callers(name: string): readonly number[] {
    return this._callers.get(name) ?? [];
  }

  private _open: IComputation | null = null;
  private _entry: IComputation | null = null;
  private _byName = new Map<string, IComputation>();
  private _callers = new Map<string, number[]>();
}
