import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { MethodDefinition } from '@grpc/grpc-js';
import { HubProxy, type TunnelFrame, TunnelFrameSchema } from '../protobuf/generated/flotilla/hub/v1/hub_proxy_pb.ts';
import { checkedFrame } from './frames.ts';

export type { TunnelFrame };

const serialize = (message: TunnelFrame): Buffer => Buffer.from(toBinary(TunnelFrameSchema, message));
const deserialize = (bytes: Uint8Array): TunnelFrame => fromBinary(TunnelFrameSchema, checkedFrame(bytes));

/** The method, for the gRPC library. */
export const tunnelMethod: MethodDefinition<TunnelFrame, TunnelFrame> = {
  path: `/${HubProxy.typeName}/${HubProxy.method.tunnel.name}`,
  requestStream: true,
  responseStream: true,
  requestSerialize: serialize,
  requestDeserialize: deserialize,
  responseSerialize: serialize,
  responseDeserialize: deserialize,
};

/** The first frame of a client. */
export const tunnelHead = (clusterName: string): TunnelFrame => create(TunnelFrameSchema, { clusterName });

/** The first frame of a server. */
export const tunnelAccepted = (): TunnelFrame => create(TunnelFrameSchema, {});

export const tunnelData = (data: Uint8Array): TunnelFrame => create(TunnelFrameSchema, { data });
