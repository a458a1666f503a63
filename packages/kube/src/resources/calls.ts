import type { KubeObject } from '@flotilla/schema';
import { stringifyJson } from '@flotilla/schema';
import type { HttpMethod, Transport } from '../client/transport.ts';
import { KubeError } from '../errors/kube-error.ts';
import { decodeJson } from './decode.ts';
import { type QueryValue, query } from './query.ts';
import type { ApplyOptions, CallOptions, DeleteOptions, Patch, WriteOptions } from './resource-handle.ts';

/** What the handles of one client share. */
export interface HandleContext {
  readonly transport: Transport;
  /** Whom the server records as owner of written fields, unless a call says otherwise. */
  readonly fieldManager?: string;
  /** Called with each `Warning` header. */
  onWarning(header: string): void;
}

type Headers = Readonly<Record<string, string>>;

/** The five things that are done to paths. Answers are decoded, warnings reported. */
export interface Calls {
  read<S extends object>(path: string, parameters: string, headers: Headers, options?: CallOptions): Promise<S>;
  post<S extends KubeObject>(path: string, object: KubeObject, options?: WriteOptions): Promise<S>;
  put<S extends KubeObject>(path: string, object: KubeObject, options?: WriteOptions): Promise<S>;
  patch<S extends KubeObject>(path: string, patch: Patch, options?: WriteOptions): Promise<S>;
  apply<S extends KubeObject>(path: string, object: KubeObject, options?: ApplyOptions): Promise<S>;
  remove(path: string, parameters: string, options?: DeleteOptions): Promise<void>;
}

const writeQuery = (options: WriteOptions | undefined, fieldManager: string | undefined, force?: QueryValue): string =>
  query({
    fieldManager: options?.fieldManager ?? fieldManager,
    force,
    fieldValidation: options?.fieldValidation,
    dryRun: options?.dryRun ? 'All' : undefined,
  });

function deleteBody(options: DeleteOptions | undefined): string | undefined {
  if (!options) return undefined;
  const { preconditions, propagationPolicy, gracePeriodSeconds, dryRun } = options;
  if (!preconditions && !propagationPolicy && gracePeriodSeconds === undefined && !dryRun) return undefined;
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions,
    propagationPolicy,
    gracePeriodSeconds,
    dryRun: dryRun ? ['All'] : undefined,
  });
}

/** Calls over a transport that ask for objects with `objectHeaders`. Header objects are made once, not per request. */
export function createCalls({ transport, fieldManager, onWarning }: HandleContext, objectHeaders: Headers): Calls {
  const send = sender(transport, onWarning);
  const withBody = (contentType: string): Headers => ({ ...objectHeaders, 'content-type': contentType });
  const json = withBody('application/json');
  const patchHeaders: Record<Patch['type'], Headers> = {
    json: withBody('application/json-patch+json'),
    merge: withBody('application/merge-patch+json'),
    strategic: withBody('application/strategic-merge-patch+json'),
  };
  // JSON is YAML, and JSON.stringify is fast.
  const applyHeaders = withBody('application/apply-patch+yaml');

  return {
    async read(path, parameters, headers, options) {
      return decodeJson(await send('GET', path + parameters, headers, options), `GET ${path}`);
    },
    async post(path, object, options) {
      const url = path + writeQuery(options, fieldManager);
      return decodeJson(await send('POST', url, json, options, stringifyJson(object)), `POST ${path}`);
    },
    async put(path, object, options) {
      const url = path + writeQuery(options, fieldManager);
      return decodeJson(await send('PUT', url, json, options, stringifyJson(object)), `PUT ${path}`);
    },
    async patch(path, patch, options) {
      const url = path + writeQuery(options, fieldManager);
      const body = stringifyJson(patch.body);
      return decodeJson(await send('PATCH', url, patchHeaders[patch.type], options, body), `PATCH ${path}`);
    },
    async apply(path, object, options) {
      if (!(options?.fieldManager ?? fieldManager)) {
        throw new KubeError('BadRequest', `an apply to ${path} needs a field manager`, {
          hint: 'Give `fieldManager` to createKubeClient, or to this call.',
        });
      }
      const url = path + writeQuery(options, fieldManager, options?.force);
      // Applying the same intent twice is the same as once, so it is sent again after a lost connection.
      const answer = await send('PATCH', url, applyHeaders, options, stringifyJson(object), true);
      return decodeJson(answer, `PATCH ${path}`);
    },
    async remove(path, parameters, options) {
      await send('DELETE', path + parameters, json, options, deleteBody(options));
    },
  };
}

/** Sends a request and returns the body of the answer. */
const sender =
  (transport: Transport, onWarning: HandleContext['onWarning']) =>
  async (
    method: HttpMethod,
    path: string,
    headers: Headers,
    options: CallOptions | undefined,
    body?: string,
    repeatable?: boolean,
  ): Promise<string> => {
    const response = await transport.request({
      method,
      path,
      headers,
      body,
      repeatable,
      signal: options?.signal,
      deadlineMs: options?.deadlineMs,
      priority: options?.priority,
    });
    if (response.headers.warning !== undefined) onWarning(response.headers.warning);
    return response.body;
  };
