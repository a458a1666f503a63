import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { MethodDefinition } from '@grpc/grpc-js';
import { callLimits } from '../limits.ts';
import {
  type ForwardRequest,
  ForwardRequestSchema,
  type ForwardResponse,
  ForwardResponseSchema,
  HubProxy,
} from '../protobuf/generated/flotilla/hub/v1/hub_proxy_pb.ts';
import type { ForwardAnswer, ForwardHead, ForwardHeaders } from './forward-head.ts';

export type { ForwardRequest, ForwardResponse };

const forward: MethodDefinition<ForwardRequest, ForwardResponse> = {
  path: `/${HubProxy.typeName}/${HubProxy.method.forward.name}`,
  requestStream: true,
  responseStream: true,
  requestSerialize: (message) => Buffer.from(toBinary(ForwardRequestSchema, message)),
  requestDeserialize: (bytes) => fromBinary(ForwardRequestSchema, checkedFrame(bytes)),
  responseSerialize: (message) => Buffer.from(toBinary(ForwardResponseSchema, message)),
  responseDeserialize: (bytes) => fromBinary(ForwardResponseSchema, bytes),
};

/** The method, for the gRPC library. */
export const hubProxyService = { forward } as const;

/** A frame that is larger would hold up the events of the same connection. Less than may be received: a head has a path. */
const frameBytes = callLimits.maxFrameBytes / 2;

/** Refuses frames that no client of ours sends: the library reads them ahead of whoever handles them. */
export function checkedFrame(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= callLimits.maxFrameBytes) return bytes;
  throw new Error(`a frame has ${bytes.length} bytes, and may have ${callLimits.maxFrameBytes}`);
}

/** The body in parts that fit into frames. */
export function* frameParts(chunk: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < chunk.length; from += frameBytes) yield chunk.subarray(from, from + frameBytes);
}

export const requestHead = ({ headers, ...head }: ForwardHead): ForwardRequest =>
  create(ForwardRequestSchema, { frame: { case: 'head', value: { ...head, headers: toHeaders(headers) } } });

export const requestPart = (value: Uint8Array): ForwardRequest =>
  create(ForwardRequestSchema, { frame: { case: 'body', value } });

export const responseHead = ({ status, headers }: Omit<ForwardAnswer, 'body'>): ForwardResponse =>
  create(ForwardResponseSchema, { frame: { case: 'head', value: { status, headers: toHeaders(headers) } } });

export const responsePart = (value: Uint8Array): ForwardResponse =>
  create(ForwardResponseSchema, { frame: { case: 'body', value } });

const toHeaders = (headers: ForwardHeaders) => headers.map(([name, value]) => ({ name, value }));

/** The headers of a frame. */
export const fromHeaders = (headers: readonly { readonly name: string; readonly value: string }[]): ForwardHeaders =>
  headers.map(({ name, value }) => [name, value] as const);
