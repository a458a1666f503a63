/** What each code means, and what to do about it unless the error itself knows better. */
const envtestErrorCodes = {
  BinariesMissing:
    'Get the binaries in one of the three ways of the README: KUBEBUILDER_ASSETS, Go, or `flotilla-envtest binaries --source download`.',
  BuildFailed:
    'Read the output of the Go compiler above; `go env GOPROXY GOFLAGS GOTOOLCHAIN` tells what it was allowed to do.',
  DownloadFailed:
    'Check that the host is reachable from here (with a proxy, set NODE_USE_ENV_PROXY=1), or compile them with `--source build`.',
  StartFailed: 'The end of the log of the component is part of the message; set `logsDirectory` to keep whole logs.',
  PortInUse: 'Leave `port` out to get a free one, or stop what listens there.',
  NotRunning: 'Start the component first.',
  CommandFailed: 'Run the same command by hand with the kubeconfig of the cluster.',
  Timeout: 'The machine may be overloaded: raise the timeout, or run fewer clusters at once.',
  InvalidOption: 'Correct the option named in the message.',
} as const;

/** The closed set of codes. */
export type EnvtestErrorCode = keyof typeof envtestErrorCodes;

/** The one error of this package: the message starts with the code, and `hint` says what to do about it. */
export class EnvtestError extends Error {
  override readonly name = 'EnvtestError';
  readonly code: EnvtestErrorCode;
  readonly hint: string;

  constructor(code: EnvtestErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(`${code}: ${message}`, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.hint = options.hint ?? envtestErrorCodes[code];
  }
}
