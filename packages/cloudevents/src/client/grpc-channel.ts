import { createSecureContext } from 'node:tls';
import { create, fromBinary } from '@bufbuild/protobuf';
import { type ClusterAccess, KubeError } from '@flotilla/kube';
import { type ChannelCredentials, Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import type { CloudEvent } from '../event/cloud-event.ts';
import { compressed } from '../event/data-encoding.ts';
import { formatDataType } from '../event/data-type.ts';
import { fromMessage, toMessage } from '../event/envelope.ts';
import { fromCallError } from '../grpc/error-status.ts';
import { featuresKey, featuresOf, ownFeatures, replyKey } from '../grpc/features.ts';
import { service, subscriptionIdKey } from '../grpc/service.ts';
import { forwardCall } from '../hub-proxy/forward-call.ts';
import { tunnelCall } from '../hub-proxy/tunnel-call.ts';
import {
  CloudEventSchema,
  PublishRequestSchema,
  SubscriptionRequestSchema,
} from '../protobuf/generated/io/cloudevents/v1/cloudevent_pb.ts';
import type { EventChannel, PublishOptions, StreamHandlers, SubscriptionRequest } from './event-channel.ts';

/** The largest event that is accepted. Servers may send all of a ManifestWork, which etcd bounds. */
const maxMessageBytes = 16 * 1024 * 1024;

/** How a connection shows that the server is there. A server of OCM closes connections that ping more often than every 5 s. */
const keepAlive = { 'grpc.keepalive_time_ms': 15_000, 'grpc.keepalive_timeout_ms': 10_000 };

/** Connects lazily, at the first call, and again at the first call after a loss. */
export function openGrpcChannel(access: ClusterAccess): EventChannel {
  const { host, isPlain } = targetOf(access);
  const client = new Client(host, isPlain ? credentials.createInsecure() : tlsCredentials(access), {
    ...keepAlive,
    ...(access.tlsServerName && { 'grpc.ssl_target_name_override': access.tlsServerName }),
    'grpc.max_receive_message_length': maxMessageBytes,
    // Each channel has a connection of its own: another one may have other credentials.
    'grpc.use_local_subchannel_pool': 1,
    // When to connect again is decided by the client over this channel, for all its streams at once.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1000,
    'grpc.enable_channelz': 0,
  });
  let features: ReadonlySet<string> = new Set();
  const onFeatures = (named: ReadonlySet<string>) => {
    features = named;
  };
  return {
    publish: (event, options) =>
      publish(client, metadataOf(access), features.has('gzip') ? compressed(event) : event, options),
    subscribe: (request, handlers) => subscribe(client, metadataOf(access), request, handlers, onFeatures),
    get handlesOnce() {
      return features.has('once');
    },
    forward: (head, options) => forwardCall(client, metadataOf(access), head, options),
    tunnel: (clusterName, signal) => tunnelCall(client, metadataOf(access), clusterName, signal),
    close: () => client.close(),
  };
}

function publish(
  client: Client,
  metadata: Metadata,
  event: CloudEvent,
  { deadlineMs, signal, onReply }: PublishOptions,
): Promise<void> {
  const { path, requestSerialize, responseDeserialize } = service.publish;
  const request = create(PublishRequestSchema, { event: toMessage(event) });
  const context = `publish ${event.type}`;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new KubeError('Canceled', context, { cause: signal.reason }));
    const onAbort = () => call.cancel();
    const done = (error: ServiceError | null) => {
      signal?.removeEventListener('abort', onAbort);
      if (error) reject(fromCallError(context, error));
      else resolve();
    };
    // The library takes a time of the wall clock alone, and turns it into a duration again at once.
    const deadline = { deadline: Date.now() + deadlineMs };
    const call = client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      deadline,
      done,
    );
    if (onReply) call.on('status', ({ metadata: trailer }) => readReply(trailer, onReply));
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

function readReply(trailer: Metadata, onReply: (reply: CloudEvent) => void): void {
  const [bytes] = trailer.get(replyKey);
  if (bytes instanceof Uint8Array) onReply(fromMessage(fromBinary(CloudEventSchema, bytes)));
}

function subscribe(
  client: Client,
  metadata: Metadata,
  { source = '', clusterName, dataType }: SubscriptionRequest,
  handlers: StreamHandlers,
  onFeatures: (named: ReadonlySet<string>) => void,
): () => void {
  const { path, requestSerialize, responseDeserialize } = service.subscribe;
  const request = create(SubscriptionRequestSchema, { source, clusterName, dataType: formatDataType(dataType) });
  const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata);
  let ended = false;
  const end = (error?: Error) => {
    if (ended) return;
    ended = true;
    handlers.onEnd(error);
  };
  call.on('metadata', (headers) => {
    if (ended || headers.get(subscriptionIdKey).length === 0) return;
    onFeatures(featuresOf(headers));
    handlers.onSubscribed();
  });
  call.on('data', (message) => {
    if (ended) return;
    try {
      handlers.onEvent(fromMessage(message));
    } catch (error) {
      handlers.onMalformed(error instanceof Error ? error : new Error(String(error)));
    }
  });
  call.on('error', (error: ServiceError) => end(fromCallError(`subscribe to ${formatDataType(dataType)}`, error)));
  call.on('end', () => end());
  return () => {
    ended = true;
    call.cancel();
  };
}

function targetOf({ server, origin }: ClusterAccess): { host: string; isPlain: boolean } {
  const url = URL.parse(server);
  if (!url?.host || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new KubeError('Config', `${origin}: the server ${JSON.stringify(server)} is not https://host:port`);
  }
  return { host: url.port ? url.host : `${url.hostname}:443`, isPlain: url.protocol === 'http:' };
}

function tlsCredentials({ ca, clientCertificate }: ClusterAccess): ChannelCredentials {
  return credentials.createFromSecureContext(
    createSecureContext({
      ...(ca && { ca }),
      ...(clientCertificate && { cert: clientCertificate.certificate, key: clientCertificate.key }),
      minVersion: 'TLSv1.3',
    }),
  );
}

function metadataOf({ authorization }: ClusterAccess): Metadata {
  const metadata = new Metadata();
  metadata.set(featuresKey, ownFeatures);
  if (authorization) metadata.set('authorization', authorization);
  return metadata;
}
