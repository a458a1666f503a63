import pretty from 'pino-pretty';

/** Turns a JSON log line into a human-readable one: fields behind the message, an error with its stack and hint below it. */
export function textFormatter(colors: boolean): (jsonLine: string) => string {
  const format = pretty.prettyFactory({
    colorize: colors,
    timestampKey: 'ts',
    // On a terminal the reader knows the day and the time zone.
    translateTime: colors ? 'SYS:HH:MM:ss.l' : false,
    singleLine: true,
    errorLikeObjectKeys: [],
  });
  return (jsonLine) => {
    const { err, error = err, ...fields }: Record<string, unknown> = JSON.parse(jsonLine);
    return format(fields) + (error === undefined ? '' : `${indent(errorText(error))}\n`);
  };
}

function errorText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { stack, message, hint, cause } = error as Record<string, unknown>;
  return [
    String(stack ?? message ?? JSON.stringify(error)),
    ...(cause === undefined ? [] : [`caused by: ${errorText(cause)}`]),
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ].join('\n');
}

const indent = (text: string): string => text.replace(/^/gm, '    ');
