// Events

export { Broker, type BrokerService } from './broker/broker.ts';
export type { QueuedEvent } from './broker/event-queue.ts';
export type { EventSink, EventStreamOptions } from './broker/event-stream.ts';
export { type CloudEventsClient, type CloudEventsClientOptions, createCloudEventsClient } from './client/client.ts';
export type { EventChannel, StreamHandlers, SubscriptionRequest } from './client/event-channel.ts';
export { defaultReconnect, type ReconnectOptions } from './client/reconnect.ts';
export type { SubscriptionHandlers } from './client/subscription.ts';
export * from './codecs/codecs.ts';
export * from './codecs/manifest-bundle.ts';
export type { EventPurpose, ObjectCodec } from './codecs/object-codec.ts';
export { type TokenRequest, tokenRequestCodec } from './codecs/token-request.ts';
export { grpcConfigAccess } from './config/config-access.ts';
export {
  accessOfGrpcConfig,
  formatGrpcConfig,
  type GrpcConfig,
  type GrpcConfigFields,
  parseGrpcConfig,
  type ReadText,
  readGrpcConfig,
} from './config/grpc-config.ts';
export { createAnnouncement, type HubAnnouncement, parseAnnouncement } from './event/announcement.ts';
export * from './event/cloud-event.ts';
export { createEvent, type EventContent, type EventOrigin } from './event/create-event.ts';
export * from './event/data-type.ts';
export { dataObject } from './event/event-json.ts';
export * from './event/event-type.ts';
export { MalformedEvent } from './event/malformed.ts';
export { resourceVersion } from './event/resource-version.ts';
export { sequenceIds } from './event/sequence-id.ts';
export { statusHash } from './event/status-hash.ts';
export { type ForwardOptions, isForwardingNotServed } from './hub-proxy/forward-call.ts';
export * from './hub-proxy/forward-head.ts';
export { createHubTransport, type HubTransportOptions } from './hub-transport/hub-transport.ts';
export { callLimits, defaultLimits, type EventServerLimits } from './limits.ts';
export { type ListedObject, listedEvent } from './resync/listed-object.ts';
export { metadataDigest } from './resync/metadata-digest.ts';
export {
  createResyncRequest,
  type KnownVersions,
  parseResyncRequest,
  type ResyncRequest,
} from './resync/resync-request.ts';
export { resyncResponses } from './resync/resync-response.ts';
export { parseStatusResync, staleStatuses } from './resync/status-resync.ts';
export type { Admission } from './server/admission.ts';
export type { Admitted, Authorizer } from './server/authorizer.ts';
export type { CallContext } from './server/call-context.ts';
export { type EventServer, type EventServerOptions, startEventServer } from './server/event-server.ts';
export type { ForwardedCall, ForwardHandler } from './server/forward-handler.ts';
export type { TunneledCall, TunnelHandler } from './server/handle-tunnel.ts';
export { networkOf } from './server/network-of.ts';
export type { EventServerObserver, HandledCall } from './server/observer.ts';
export type { ServingTls } from './server/tls-listener.ts';
