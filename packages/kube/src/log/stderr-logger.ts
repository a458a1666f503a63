import type { Logger } from './logger.ts';

/** Text lines on standard error; debug lines are left out. What controllers log to unless they are given a log. */
export const stderrLogger: Logger = loggerWith({});

function loggerWith(bound: Record<string, unknown>): Logger {
  const write =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}) =>
      void process.stderr.write(
        `${level} ${message}${Object.entries({ ...bound, ...fields })
          .map(shown)
          .join('')}\n`,
      );
  return {
    debug() {},
    info: write('INFO '),
    warn: write('WARN '),
    error: write('ERROR'),
    child: (fields) => loggerWith({ ...bound, ...fields }),
  };
}

function shown([name, value]: [string, unknown]): string {
  if (value === undefined) return '';
  if (value instanceof Error) return ` ${name}=${JSON.stringify(value.message)}`;
  return ` ${name}=${typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)}`;
}
