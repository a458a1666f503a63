/**
 * The error of an author's function with what it was called for. Its stack is the author's: a log shows one stack, and the line to fix
 * is the one in the project.
 */
export function renderError(prefix: string, error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error);
  const wrapped = new Error(message.startsWith(prefix) ? message : `${prefix}: ${message}`, { cause: error });
  const frames = framesOf(error);
  if (frames.length > 0) wrapped.stack = [`Error: ${wrapped.message}`, ...frames].join('\n');
  return wrapped;
}

/** The lines of a stack that say where. */
const framesOf = (error: unknown): string[] =>
  error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : [];

/** The frames of an error within the author's project: neither those of packages nor those of Node. */
export const authorFrames = (error: unknown): string[] =>
  framesOf(error).filter((line) => !/node_modules|[( ]node:|<anonymous>/.test(line));
