import { isRecord, type JsonObject } from '@flotilla/schema';
import { apiVersionOf } from '../contracts/resource-info.ts';
import { badRequest } from '../errors/api-errors.ts';
import { bodySummary } from '../errors/body-summary.ts';
import { decodeMessage, messageOf } from './decode-message.ts';
import { openEnvelope } from './envelope.ts';
import type { Fail } from './wire-reader.ts';

/** The media type of these bodies. */
export const protobufType = 'application/vnd.kubernetes.protobuf';

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The object of a create or update as a JSON client would have sent it. One of another kind has no fields: it is refused for its kind. */
export function decodeProtobufObject(body: Buffer, expected: Kind): JsonObject {
  const envelope = openEnvelope(body, (message) => {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): ${message} (${bodySummary(body)})`,
    );
  });
  const kind = envelope.kind || expected.kind;
  const apiVersion = envelope.apiVersion || apiVersionOf(expected);
  const typeMeta = { apiVersion, kind };
  const message = messageOf(expected);
  if (message === undefined || kind !== expected.kind || apiVersion !== apiVersionOf(expected)) return typeMeta;
  const fields = decodeFields(envelope.raw, message, (why) => {
    throw badRequest(`${kind} in version "${expected.version}" cannot be handled as a ${kind}: ${why}`);
  });
  return { ...fields, ...typeMeta };
}

/** The options of a delete. */
export function decodeProtobufDeleteOptions(body: Buffer): JsonObject {
  const fail: Fail = (message) => {
    throw badRequest(message);
  };
  const { apiVersion, kind, raw } = openEnvelope(body, fail);
  const typeMeta = { ...(apiVersion !== '' && { apiVersion }), ...(kind !== '' && { kind }) };
  if (kind !== '' && kind !== 'DeleteOptions') return typeMeta;
  return { ...decodeFields(raw, 'meta.v1.DeleteOptions', fail), ...typeMeta };
}

function decodeFields(raw: Buffer, message: string, fail: Fail): JsonObject {
  const value = decodeMessage(raw, message, fail);
  return isRecord(value) ? value : {};
}
