import { createContext, Script } from 'node:vm';
import { parseJson, stringifyJson } from '@flotilla/kube/meta';
import type { Jq } from 'jq-wasm/inline';
import { IgnoreFieldsError } from './ignore-fields-error.ts';
import { isReduction } from './reduction.ts';

/** How long one expression may take. */
const timeoutMs = 1000;

/** Evaluates jq expressions. */
export interface JqEngine {
  /** The object without what an expression selects. Throws `IgnoreFieldsError`. */
  remove(object: Record<string, unknown>, expression: string): Promise<Record<string, unknown>>;
}

/**
 * jq itself, as WebAssembly. It is loaded when the first expression comes: it takes some 20 MiB, and few works need it.
 * An expression sees neither files nor the environment of the agent.
 */
export function createJqEngine(): JqEngine {
  let loading: Promise<Jq> | undefined;
  /** Not one that another expression broke while this one waited. What is returned must be used at once. */
  const loaded = async (): Promise<Jq> => {
    for (;;) {
      loading ??= load();
      const wanted = loading;
      const jq = await wanted;
      if (wanted === loading) return jq;
    }
  };
  return {
    async remove(object, expression) {
      const jq = await loaded();
      try {
        const left = onlyObject(withDeadline(() => jq.raw(stringifyJson(object), `del(${expression})`, ['-c'])));
        // A bracket too many ends `del`, and what follows it could write anything.
        if (!isReduction(left, object)) throw new ExpressionError('the expression does more than select fields');
        return left;
      } catch (error) {
        const failure = ignoreFieldsError(error);
        // Whatever else ended it in the middle left its memory in no known state.
        if (!(failure instanceof ExpressionError)) loading = undefined;
        throw new IgnoreFieldsError(`JQ expression error in '${expression}': ${failure.message}`, { cause: error });
      }
    },
  };
}

async function load(): Promise<Jq> {
  const { loadJq } = await import('jq-wasm/inline');
  return loadJq();
}

/** What is failure with an expression, in OCM's words. */
class ExpressionError extends Error {}

/** Runs something that does not yield, and ends it when its time is over. */
function withDeadline<T>(run: () => T): T {
  const results: T[] = [];
  const sandbox = createContext({ run: () => results.push(run()) });
  new Script('run()').runInContext(sandbox, { timeout: timeoutMs });
  const [result] = results;
  if (result === undefined) throw new Error('jq ended without a result');
  return result;
}

function onlyObject({
  stdout,
  stderr,
  exitCode,
}: {
  stdout: string;
  stderr: string;
  exitCode: number;
}): Record<string, unknown> {
  if (exitCode === 3) throw new ExpressionError(`failed to parse jq expression: ${firstLine(stderr)}`);
  if (exitCode !== 0) throw new ExpressionError(`jq expression returned error: ${firstLine(stderr)}`);
  if (stdout === '') throw new ExpressionError('jq expression did not return any data');
  if (stdout.includes('\n')) throw new ExpressionError('jq expression returned multiple objects');
  const value = parseJson(stdout);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ExpressionError('jq expression result is not a valid object');
  }
  return Object.fromEntries(Object.entries(value));
}

const firstLine = (text: string): string => (text.split('\n', 1)[0] ?? '').replace(/^jq: error( \(at [^)]*\))?: /, '');

function ignoreFieldsError(error: unknown): Error {
  if (error instanceof ExpressionError) return error;
  // It comes from another realm, whose errors are not instances of this one's.
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return new Error('jq expression execution timed out after 1s');
  return new Error(`jq expression returned error: ${error instanceof Error ? error.message : String(error)}`);
}
