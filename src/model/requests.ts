/** What a view wants to know comes in; the kernel's answer goes out, or a sentence that says why there is none. */
import { TranslationBundle } from '@jupyterlab/translation';

import { IAsked, IChannel, Question, Unanswered } from '../kernel/channel';
import { IDocumentSizes, NO_DOCUMENT } from '../protocol/cost';
import {
  Machine,
  PassDiff,
  ProgramCost,
  ProgramDiff,
  ProgramShardings,
  Recording,
  Reply,
  ScopePage,
  Snapshot,
  SourcePage,
  Sweep,
  TextPage,
  VariantComparison,
  Working
} from '../protocol/snapshot';
import {
  ILongRequest,
  ILongRequestOptions,
  IRequests,
  Outcome
} from '../tokens';
import { Runs } from './runs';
import { whyUnanswered } from './sentences';

/** Who asks. */
export interface IRequestsHost {
  /** The kernel that is asked now; null for none. */
  channel(): IChannel | null;
  /** What is in view. */
  snapshot(): Snapshot | null;
  readonly runs: Runs;
}

/** The requests of one notebook. */
export function requestsOf(
  host: IRequestsHost,
  trans: TranslationBundle
): IRequests {
  /** Put a question to the kernel; what rejects its reply is a sentence. */
  const begin = (
    question: Question,
    working?: (working: Working) => void
  ): IAsked => {
    const failed = (error: unknown): never => {
      throw new Error(whyUnanswered(error, trans));
    };
    const shown = host.snapshot();
    const asked = host.runs.isOfThisLife(question.snapshot)
      ? host
          .channel()
          ?.ask(
            question,
            shown === null ? NO_DOCUMENT : sizesOf(shown),
            working
          )
      : null;
    const unasked = new Unanswered(asked === null ? 'not-its-own' : 'closed');
    return {
      reply: (asked?.reply ?? Promise.reject(unasked)).catch(failed),
      stop: () => asked?.stop()
    };
  };

  const ask = async (question: Question): Promise<Reply> =>
    begin(question).reply;

  /** Ask for what runs the user's code again. */
  const long = <T>(
    question: Question,
    options: ILongRequestOptions | undefined,
    read: (reply: Reply) => T | null
  ): ILongRequest<T> => {
    const { reply, stop } = begin(question, options?.working);
    const outcome = async (): Promise<Outcome<T>> => {
      const last = await reply;
      return (last.confirm ?? null) !== null
        ? { kind: 'confirm', question: last.confirm as string }
        : { kind: 'done', value: answered(read(last), trans) };
    };
    return { result: outcome(), stop };
  };

  /** A long request about one program: what is about another one is no answer. */
  const ofProgram = <T extends { program: number }>(
    type: 'time' | 'passes' | 'exact_links',
    snapshot: string,
    program: number,
    options: ILongRequestOptions | undefined,
    read: (reply: Reply) => T | null | undefined
  ): ILongRequest<T> => {
    const confirmed = options?.confirmed ?? false;
    return long<T>({ type, snapshot, program, confirmed }, options, reply => {
      const found = read(reply);
      return found?.program === program ? found : null;
    });
  };

  return {
    text: async (snapshot, program, level, first_line, line_count, platform) =>
      answered<TextPage>(
        (
          await ask({
            type: 'text',
            snapshot,
            program,
            level,
            first_line,
            line_count,
            ...(platform === undefined ? {} : { platform })
          })
        ).text,
        trans
      ),
    scope: async (snapshot, scope, first_equation, equation_count) =>
      answered<ScopePage>(
        (
          await ask({
            type: 'scope',
            snapshot,
            scope,
            first_equation,
            equation_count
          })
        ).scope,
        trans
      ),
    make: async (snapshot, program, level) =>
      answered<Snapshot>(
        (await ask({ type: 'make', snapshot, program, level })).snapshot,
        trans
      ),
    retrace: snapshot => {
      if (host.runs.isOfThisLife(snapshot)) {
        host.channel()?.trace(snapshot);
      }
    },
    transform: async (snapshot, program, kind) =>
      answered<Snapshot>(
        (await ask({ type: 'transform', snapshot, program, kind })).snapshot,
        trans
      ),
    steps: (snapshot, control, options) =>
      long<Recording>(
        {
          type: 'steps',
          snapshot,
          control,
          repeat_effects: options?.confirmed ?? false
        },
        options,
        ({ recording }) =>
          recording?.snapshot === snapshot && recording.control === control
            ? recording
            : null
      ),
    compare: (snapshot, programs, options) =>
      long<VariantComparison>(
        {
          type: 'compare',
          snapshot,
          programs: [...programs],
          repeat_effects: options?.confirmed ?? false
        },
        options,
        ({ comparison }) => comparison ?? null
      ),
    time: (snapshot, program, options) =>
      ofProgram('time', snapshot, program, options, reply => reply.timing),
    sweep: (snapshot, { sweep, call, functions }, options) =>
      long<Sweep>(
        {
          type: 'sweep',
          snapshot,
          sweep,
          call,
          functions: [...functions],
          confirmed: options?.confirmed ?? false
        },
        options,
        reply => reply.sweep ?? null
      ),
    machine: (snapshot, options) =>
      long<Machine>(
        { type: 'machine', snapshot },
        options,
        ({ machine }) => machine ?? null
      ),
    passes: (snapshot, program, options) =>
      ofProgram('passes', snapshot, program, options, reply => reply.passes),
    exactLinks: (snapshot, program, options) =>
      ofProgram(
        'exact_links',
        snapshot,
        program,
        options,
        reply => reply.exact_links
      ),
    twinText: async (snapshot, program, level, first_line, line_count) => {
      const { text: page } = await ask({
        type: 'text',
        snapshot,
        program,
        level,
        first_line,
        line_count,
        twin: true
      });
      return answered<TextPage>(
        Array.isArray(page?.line_equations) ? page : null,
        trans
      );
    },
    passDiff: async (snapshot, program, index, first_line, line_count) => {
      const { pass_diff: page } = await ask({
        type: 'pass_diff',
        snapshot,
        program,
        index,
        first_line,
        line_count
      });
      return answered<PassDiff>(page?.index === index ? page : null, trans);
    },
    diff: async (before, after, level) => {
      const { diff } = await ask({
        type: 'diff',
        snapshot: after.snapshot,
        program: after.program,
        before: before.snapshot,
        before_program: before.program,
        level,
        ...host.runs.documentOf(before.snapshot)
      });
      return answered<ProgramDiff>(diff ?? null, trans);
    },
    page: async (snapshot, program) => {
      const { page } = await ask({ type: 'export', snapshot, program });
      return answered<string>(page ?? null, trans);
    },
    source: async (snapshot, path) => {
      const { source } = await ask({ type: 'source', snapshot, path });
      return answered<SourcePage>(source?.path === path ? source : null, trans);
    },
    shardings: async (snapshot, program) => {
      const { shardings } = await ask({
        type: 'shardings',
        snapshot,
        program
      });
      return answered<ProgramShardings>(
        shardings?.program === program ? shardings : null,
        trans
      );
    },
    cost: async (snapshot, program) => {
      const { cost } = await ask({ type: 'cost', snapshot, program });
      return answered<ProgramCost>(
        cost?.program === program ? cost : null,
        trans
      );
    }
  };
}

function sizesOf(snapshot: Snapshot): IDocumentSizes {
  return {
    programs: snapshot.programs.length,
    frames: snapshot.frames.length,
    scopes: snapshot.scopes.map(scope => scope.count)
  };
}

function answered<T>(answer: T | null, trans: TranslationBundle): T {
  if (answer === null) {
    throw new Error(whyUnanswered(null, trans));
  }
  return answer;
}
