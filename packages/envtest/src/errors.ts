/** What each code means, and what to do about it unless the error itself knows better. The README has the same table. */
export const envtestErrorCodes = {
  BinariesMissing: {
    meaning: 'The binaries of Kubernetes are not there and cannot be made here.',
    hint: 'Get them in one of the three ways of the README: KUBEBUILDER_ASSETS, Go, or `flotilla-envtest binaries --source download`.',
  },
  BuildFailed: {
    meaning: 'Go could not compile one of them.',
    hint: 'Read what Go said; `go env GOPROXY GOTOOLCHAIN` shows what it may download.',
  },
  DownloadFailed: {
    meaning: 'A file could not be downloaded, or is not the one that was published.',
    hint: 'Check that the host is reachable from here (with a proxy, set NODE_USE_ENV_PROXY=1), or compile with `--source build`.',
  },
  StartFailed: {
    meaning: 'A component ended or hung before it was ready.',
    hint: 'The end of its log is part of the message; set `logsDirectory` to keep the whole.',
  },
  PortInUse: {
    meaning: 'Another process listens on the port.',
    hint: 'Leave `port` out to get a free one, or stop what listens there.',
  },
  NotRunning: {
    meaning: 'A component that does not run was to be paused or resumed.',
    hint: 'Start the component first.',
  },
  CommandFailed: {
    meaning: 'kubectl or etcd refused what it was asked.',
    hint: 'Run the same command by hand with the kubeconfig of the cluster.',
  },
  Timeout: {
    meaning: 'Something that was waited for did not happen in time.',
    hint: 'The machine may be overloaded: raise `startTimeoutMs`, or run fewer clusters at once.',
  },
  InvalidOption: {
    meaning: 'An option or a file it names cannot be used.',
    hint: 'Correct the option named in the message.',
  },
} as const satisfies Record<string, { meaning: string; hint: string }>;

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
    this.hint = options.hint ?? envtestErrorCodes[code].hint;
  }
}
