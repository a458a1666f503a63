import { isRecord, type KubeObject } from '@flotilla/schema';
import { type CloudEvent, Extension } from '../event/cloud-event.ts';
import { createEvent } from '../event/create-event.ts';
import { dataTypes } from '../event/data-type.ts';
import { dataObject } from '../event/event-json.ts';
import { MalformedEvent } from '../event/malformed.ts';
import type { EventPurpose } from './object-codec.ts';

/** A request for a token of a ServiceAccount, and its answer. The uid identifies the request, not the ServiceAccount. */
export interface TokenRequest extends KubeObject {
  readonly spec: {
    readonly audiences?: readonly string[] | null;
    readonly expirationSeconds?: number;
    readonly boundObjectRef?: object | null;
  };
  readonly status?: { readonly token?: string; readonly expirationTimestamp?: string | null };
}

/** TokenRequests. Their data has neither kind nor apiVersion. */
export const tokenRequestCodec = {
  dataType: dataTypes.tokenRequests,
  encode(request: TokenRequest, purpose: EventPurpose): CloudEvent {
    const { name, namespace, uid } = request.metadata ?? {};
    if (!name || !namespace || !uid) {
      throw new MalformedEvent('a TokenRequest needs metadata.name, metadata.namespace and metadata.uid');
    }
    const { subresource, action } = purpose;
    return createEvent(purpose, {
      type: { dataType: dataTypes.tokenRequests, subresource, action },
      clusterName: namespace,
      extensions: { [Extension.ResourceId]: uid },
      data: { metadata: request.metadata, spec: request.spec, status: { token: '', ...request.status } },
    });
  },
  decode(event: CloudEvent): TokenRequest {
    const { metadata, spec, status } = dataObject(event);
    const names = isRecord(metadata) ? [metadata.name, metadata.namespace, metadata.uid] : [];
    if (names.length === 0 || !names.every((name) => typeof name === 'string' && name !== '') || !isRecord(spec)) {
      throw new MalformedEvent('a TokenRequest needs metadata.name, metadata.namespace, metadata.uid and spec');
    }
    return { metadata: metadata as KubeObject['metadata'], spec, ...(isRecord(status) && { status }) };
  },
};
