import type { Logger } from '@flotilla/kube';
import { type Clock, realClock } from '@flotilla/kube';
import { type DestinationStream, destination as openFile, type Logger as PinoLogger, pino } from 'pino';
import { redactFields } from './redact-fields.ts';
import { redactText } from './redact-text.ts';

/** From the most to the least said. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
/** One of `logLevels`. */
export type LogLevel = (typeof logLevels)[number];

/** `json`: one object a line, for machines. `text`: human-readable, coloured on a terminal. */
export const logFormats = ['json', 'text'] as const;
/** One of `logFormats`. */
export type LogFormat = (typeof logFormats)[number];

/** Where lines go: a stream, or anything that takes them. */
export interface LogDestination {
  write(line: string): unknown;
  /** Colours are used only on a terminal. */
  readonly isTTY?: boolean;
}

/** How a process logs. */
export interface LoggerOptions {
  format?: LogFormat;
  level?: LogLevel;
  /** Default: standard error, written synchronously, so that the last line before an exit is not lost. */
  destination?: LogDestination;
  /** On every line, for example `podName`. */
  fields?: Record<string, unknown>;
  clock?: Clock;
}

/** The log of a process: its level can change while it runs, also for the children that were made before. */
export interface ProcessLogger extends Logger {
  level: LogLevel;
}

/** Makes the log of a process. JSON lines have `ts`, `level`, `msg` and the fields; secrets are redacted in all of them. */
export async function createLogger(options: LoggerOptions = {}): Promise<ProcessLogger> {
  const { format = 'json', level = 'info', clock = realClock, fields = {}, destination = standardError() } = options;
  const root = pino(
    {
      // `logger` below decides what is said: pino's children would keep the level they were born with.
      level: 'debug',
      base: null,
      timestamp: () => `,"ts":"${new Date(clock.now()).toISOString()}"`,
      // Errors come as data from `redactFields`; pino's own serializer would fold their causes into the stack.
      serializers: { err: (value: unknown) => value },
      formatters: { level: (label) => ({ level: label }) },
    },
    format === 'json' ? { write: (line) => void destination.write(line) } : await textStream(destination),
  );
  const threshold = { level };
  return {
    ...logger(root.child(redactFields(fields)), threshold),
    get level() {
      return threshold.level;
    },
    set level(next) {
      threshold.level = next;
    },
  };
}

function logger(backend: PinoLogger, threshold: { readonly level: LogLevel }): Logger {
  const at = (level: LogLevel) => (message: string, fields?: Record<string, unknown>) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(threshold.level)) return;
    backend[level](fields ? redactFields(fields) : {}, redactText(message));
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => logger(backend.child(redactFields(fields)), threshold),
  };
}

function standardError(): LogDestination {
  const file = openFile({ dest: 2, sync: true });
  return { write: (line) => file.write(line), isTTY: process.stderr.isTTY === true };
}

async function textStream(destination: LogDestination): Promise<DestinationStream> {
  // Loaded only when asked for: a process in a cluster writes JSON and need not hold the formatter in memory.
  const { textFormatter } = await import('./text-format.ts');
  const format = textFormatter(destination.isTTY === true);
  return { write: (line) => void destination.write(format(line)) };
}
