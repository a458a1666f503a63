import { redactText } from './redact-text.ts';

/** An error as a log line shows it: what happened, what to do about it, and what caused it. */
export interface SerializedError {
  name: string;
  message: string;
  /** KubeError's code, or the code of a Node or OpenSSL error. */
  code?: string | number;
  hint?: string;
  /** HTTP status, if the API server answered. */
  status?: number;
  retryable?: boolean;
  stack?: string;
  cause?: SerializedError;
  /** The members of an AggregateError. */
  errors?: SerializedError[];
}

/** Deeper causes than this are left out: a chain that long is a cycle or says nothing new. */
const deepestCause = 8;

/** Turns anything thrown into plain data, with its chain of causes. Only the outermost stack is kept. */
export function serializeError(thrown: unknown, depth = 0): SerializedError {
  if (!(thrown instanceof Error)) return { name: 'Thrown', message: redactText(String(thrown)) };
  const { code, hint, status, retryable } = thrown as Error & Record<string, unknown>;
  return {
    name: thrown.name,
    message: redactText(thrown.message),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(typeof hint === 'string' && { hint: redactText(hint) }),
    ...(typeof status === 'number' && { status }),
    ...(typeof retryable === 'boolean' && { retryable }),
    ...(depth === 0 && thrown.stack !== undefined && { stack: redactText(thrown.stack) }),
    ...(depth < deepestCause && nestedErrors(thrown, depth + 1)),
  };
}

function nestedErrors(error: Error, depth: number): Pick<SerializedError, 'cause' | 'errors'> {
  return {
    ...(error.cause !== undefined && { cause: serializeError(error.cause, depth) }),
    ...(error instanceof AggregateError && {
      errors: error.errors.map((member: unknown) => serializeError(member, depth)),
    }),
  };
}
