import { KubeError } from '@flotilla/kube';
import type { HttpMethod, Transport } from '@flotilla/kube/transport';
import { type JsonObject, parseJson, type ResourceType } from '@flotilla/schema';

/** What the API server said to an object. */
export interface ServerResult {
  readonly accepted: boolean;
  /** Its words, if it refused. */
  readonly message: string;
  /** The fields that it names as causes, and why. Some of its checks name none. */
  readonly causes: readonly { field: string; reason: string }[];
  /** The object as it is or would be stored. */
  readonly object: JsonObject;
}

/** Asks the API server what it makes of objects. Nothing is stored, except by `store`. */
export interface ServerValidator {
  create(type: ResourceType, object: JsonObject): Promise<ServerResult>;
  replace(type: ResourceType, name: string, object: JsonObject): Promise<ServerResult>;
  replaceStatus(type: ResourceType, name: string, object: JsonObject): Promise<ServerResult>;
  store(type: ResourceType, object: JsonObject): Promise<JsonObject>;
}

const pathOf = ({ group, version, plural, namespaced }: ResourceType): string =>
  `/apis/${group}/${version}/${namespaced ? 'namespaces/default/' : ''}${plural}`;

export const createServerValidator = (transport: Transport): ServerValidator => {
  const send = async (method: HttpMethod, path: string, object: JsonObject): Promise<JsonObject> => {
    const headers = { 'content-type': 'application/json' };
    const { body } = await transport.request({ method, path, headers, body: JSON.stringify(object) });
    return parseJson(body) as JsonObject;
  };
  const ask = async (method: HttpMethod, path: string, object: JsonObject): Promise<ServerResult> => {
    try {
      return { accepted: true, message: '', causes: [], object: await send(method, `${path}?dryRun=All`, object) };
    } catch (error) {
      // Refused is 400 for what cannot be read and 422 for what is invalid. Anything else is not a validation result.
      if (!(error instanceof KubeError) || (error.status !== 400 && error.status !== 422)) throw error;
      const causes = (error.details?.causes ?? []).flatMap(({ field, reason = '' }) =>
        field && field !== '<nil>' ? [{ field, reason }] : [],
      );
      return { accepted: false, message: error.message, causes, object: {} };
    }
  };
  return {
    create: (type, object) => ask('POST', pathOf(type), object),
    replace: (type, name, object) => ask('PUT', `${pathOf(type)}/${name}`, object),
    replaceStatus: (type, name, object) => ask('PUT', `${pathOf(type)}/${name}/status`, object),
    store: (type, object) => send('POST', pathOf(type), object),
  };
};
