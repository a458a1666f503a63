/** How the command ends, by what went wrong. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  /** A flag, an argument or a file that it names cannot be used. */
  usage: 2,
  /** Something else must be done first, or the server refuses who asks. */
  precondition: 3,
  /** It took too long, or the server cannot be reached: trying again may help. */
  timeout: 4,
  /** By Ctrl-C, as shells have it. */
  interrupted: 130,
} as const;

/** Another program ended with this code, and has said why. */
export class ProgramEnded extends Error {
  override readonly name = 'ProgramEnded';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`the program ended with ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** What the user did wrong, or must do first; the hint says how to fix it. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly hint: string;
  readonly exitCode: number;

  constructor(
    kind: Exclude<keyof typeof exitCodes, 'ok' | 'interrupted'> | number,
    message: string,
    hint: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
    this.exitCode = typeof kind === 'number' ? kind : exitCodes[kind];
  }
}
