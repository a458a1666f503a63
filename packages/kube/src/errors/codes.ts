/** One row of the table of codes: what a reader of the error needs to know before its message. */
export interface KubeErrorCodeEntry {
  /** What happened, as one sentence. */
  readonly meaning: string;
  /** Whether the same request, sent again later and unchanged, may succeed. */
  readonly retryable: boolean;
  /** What to do about it, unless the error itself knows better. */
  readonly hint: string;
}

/** Every code a KubeError can have. `docs/reference/errors.md` is this table for readers, and a spec compares the two. */
export const kubeErrorCodes = {
  Unauthorized: {
    meaning: 'The server does not accept the credentials (401).',
    retryable: false,
    hint: 'The token or client certificate is missing, expired or from another cluster: check it with `kubectl auth whoami` and the same kubeconfig.',
  },
  Forbidden: {
    meaning: 'The credentials are good, but the user may not do this (403).',
    retryable: false,
    hint: 'Check with `kubectl auth can-i`, then grant the verb on the resource with a Role or ClusterRole and its binding.',
  },
  NotFound: {
    meaning: 'The object, its namespace or its resource does not exist (404).',
    retryable: false,
    hint: 'Check the name and namespace; if the kind is a custom one, check that its CRD is installed and serves this version.',
  },
  AlreadyExists: {
    meaning: 'An object of that name exists already (409).',
    retryable: false,
    hint: 'Read the object and replace, patch or apply it instead of creating it.',
  },
  Conflict: {
    meaning: 'The object changed since it was read, or another field manager owns a field (409).',
    retryable: false,
    hint: 'Read the object again and decide anew; for server-side apply, agree on the owner of the field or set `force`.',
  },
  Invalid: {
    meaning: 'The server understood the object and its validation refused it (422).',
    retryable: false,
    hint: 'Correct the fields named in `details.causes`.',
  },
  BadRequest: {
    meaning:
      'The request is not valid for the server (400), or for this library before it was sent; or a webhook refused it.',
    retryable: false,
    hint: 'Correct what the message names; `kubectl explain` shows the fields of a kind, and the owner of a webhook its rules.',
  },
  Expired: {
    meaning: 'The resource version or continue token is older than what the server keeps (410).',
    retryable: false,
    hint: 'List again from the start and watch from the resource version of that list.',
  },
  TooManyRequests: {
    meaning: 'The server sheds load, or a disruption budget forbids an eviction for now (429).',
    retryable: true,
    hint: 'Wait `retryAfterMs` and send it again; if it stays, check the API priority and fairness settings or the PodDisruptionBudget.',
  },
  RequestTooLarge: {
    meaning: 'The object is larger than the server or its store accepts (413).',
    retryable: false,
    hint: 'Split the object: etcd refuses more than about 1.5 MiB in one.',
  },
  MethodNotAllowed: {
    meaning: 'The resource does not support this verb (405).',
    retryable: false,
    hint: 'See the verbs of the resource with `kubectl api-resources -o wide`.',
  },
  NotAcceptable: {
    meaning: 'The server cannot answer in the representation asked for (406).',
    retryable: false,
    hint: 'Ask for the whole object: an old or aggregated API server does not always offer metadata-only or aggregated answers.',
  },
  UnsupportedMediaType: {
    meaning: 'The server does not accept a body of this type (415).',
    retryable: false,
    hint: 'Use a merge patch or server-side apply: custom resources do not support strategic merge patches.',
  },
  Timeout: {
    meaning: 'The deadline of the request passed, or the server or something before it gave up (408, 504).',
    retryable: true,
    hint: 'The request may still have taken effect: read before writing again. If it stays, check the load and reachability of the server.',
  },
  Canceled: {
    meaning: 'The caller ended the request.',
    retryable: false,
    hint: 'Nothing to fix: the signal that was passed with the request aborted, or the client was closed.',
  },
  Unavailable: {
    meaning: 'The server could not be reached, the connection was lost, or it answered 502 or 503.',
    retryable: true,
    hint: 'Check that the server address is right and reachable from here: DNS, network policy, proxy, and that the API server is up.',
  },
  Internal: {
    meaning: 'The server failed while serving the request (5xx), or something unexpected was thrown.',
    retryable: true,
    hint: 'Read the log of the API server; if the message names a webhook, read the log of the webhook.',
  },
  Tls: {
    meaning: 'The TLS connection was refused by one of the two sides.',
    retryable: false,
    hint: 'Check that the CA of the kubeconfig signed the certificate of the server, that the server name matches, and that clocks agree.',
  },
  Config: {
    meaning: 'The options, the kubeconfig or a file it names cannot be used.',
    retryable: false,
    hint: 'Correct the setting named in the message.',
  },
  UnknownKind: {
    meaning: 'The server serves no such kind or resource.',
    retryable: false,
    hint: 'See what it serves with `kubectl api-resources`; for a custom kind, install its CRD first.',
  },
  Decode: {
    meaning: 'The answer is not what the Kubernetes API promises.',
    retryable: false,
    hint: 'Check that the address is that of an API server and not of a proxy, a login page or a load balancer.',
  },
} as const satisfies Record<string, KubeErrorCodeEntry>;

/** The closed set of codes. */
export type KubeErrorCode = keyof typeof kubeErrorCodes;
