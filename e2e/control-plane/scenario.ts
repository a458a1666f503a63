/** What is sent, to both servers alike. `{name}` in paths, bodies and headers stands for a value that an earlier answer had. */
export interface Step {
  /** Method and path: `GET /api/v1/namespaces/{ns}/configmaps?limit=1`. */
  readonly call: string;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: unknown;
  /** Content type of the body; `json` for what is not said. */
  readonly type?: string;
  readonly accept?: string;
  /** A list is sent as several lines of one name. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A user with only the permissions that a scenario grants. Default: the administrator. */
  readonly as?: string;
  /** Without the administrator's certificate: only what the headers say. */
  readonly bare?: boolean;
  /** Names for values of the answer: `{ rv: 'metadata.resourceVersion' }`. */
  readonly save?: Readonly<Record<string, string>>;
  /** Reads so many events of a watch, and meanwhile takes these steps. */
  readonly watch?: {
    readonly events: number;
    readonly meanwhile?: readonly Step[];
    /** Waits for the server to end the watch, and compares whether it did. */
    readonly ends?: boolean;
  };
  /** Asks again until the status is this one: for what controllers do a little later. */
  readonly until?: number;
  /** Asks again until the answer has a value at this path: `status.used.pods`, for what controllers write a little later. */
  readonly untilAt?: string;
  /** An allowed difference of the page, and where in the answer it shows: `body.message`. */
  readonly differs?: { readonly id: string; readonly at: readonly string[] };
}

export interface Scenario {
  /** A sentence. */
  readonly name: string;
  readonly steps: readonly Step[];
}

export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

type Extra = Omit<Step, 'call' | 'body'>;

export const get = (path: string, extra: Extra = {}): Step => ({ call: `GET ${path}`, ...extra });
export const post = (path: string, body: unknown, extra: Extra = {}): Step => ({
  call: `POST ${path}`,
  body,
  ...extra,
});
export const put = (path: string, body: unknown, extra: Extra = {}): Step => ({ call: `PUT ${path}`, body, ...extra });
export const del = (path: string, body?: unknown, extra: Extra = {}): Step => ({
  call: `DELETE ${path}`,
  ...(body !== undefined && { body }),
  ...extra,
});
export const patch = (type: keyof typeof patchTypes, path: string, body: unknown, extra: Extra = {}): Step => ({
  call: `PATCH ${path}`,
  body,
  type: patchTypes[type],
  ...extra,
});

/** How many calls a list of steps makes on each server. */
export const countCalls = (steps: readonly Step[]): number =>
  steps.reduce((sum, { watch }) => sum + 1 + countCalls(watch?.meanwhile ?? []), 0);
