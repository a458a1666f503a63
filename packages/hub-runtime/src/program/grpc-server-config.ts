import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SecureVersion } from 'node:tls';
import { DataKey, MountPath } from '@flotilla/api-types';
import { defaultLimits, type EventServerLimits } from '@flotilla/cloudevents';
import { KubeError, type Logger, type ObjectKey } from '@flotilla/kube';
import { cipherList, defineOptions, type OptionValues, parseOptions } from '@flotilla/process';
import type { ClientCaSource, ServingSource } from '../grpc/tls-sources.ts';

const versions: Readonly<Record<string, SecureVersion>> = {
  VersionTLS12: 'TLSv1.2',
  'TLSv1.2': 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
  'TLSv1.3': 'TLSv1.3',
};
const tlsVersion = { type: 'choice', choices: Object.keys(versions) } as const;
const buffers = 'Node sizes its buffers itself';
const pings = 'a client that pings often costs little here';

/** The keys of the file, as OCM has them. */
const definitions = defineOptions({
  tlsCertFile: { type: 'string', flag: 'tls_cert_file', description: 'Certificate of the server, PEM.' },
  tlsKeyFile: { type: 'string', flag: 'tls_key_file', description: 'Its key.' },
  clientCaFile: { type: 'string', flag: 'client_ca_file', description: 'Authorities of client certificates.' },
  tlsMinVersion: { ...tlsVersion, flag: 'tls_min_version', description: 'The oldest TLS version.' },
  tlsMaxVersion: { ...tlsVersion, flag: 'tls_max_version', description: 'The newest TLS version.' },
  cipherSuites: { type: 'list', flag: 'cipher_suites', description: 'Cipher suites of TLS 1.2, by their IANA names.' },
  serverBindPort: {
    type: 'integer',
    flag: 'server_bind_port',
    default: 8090,
    min: 0,
    max: 65_535,
    description: 'The gRPC port.',
  },
  maxConcurrentStreams: {
    type: 'integer',
    flag: 'max_concurrent_streams',
    min: 1,
    max: 2 ** 32 - 1,
    description: 'Streams of one connection.',
  },
  maxReceiveMessageSize: {
    type: 'integer',
    flag: 'max_receive_message_size',
    min: 1024,
    description: 'The largest event that is received, in bytes.',
  },
  maxSendMessageSize: {
    type: 'integer',
    flag: 'max_send_message_size',
    min: 1024,
    description: 'The largest event that is sent, in bytes.',
  },
  connectionTimeout: {
    type: 'duration',
    flag: 'connection_timeout',
    min: '1s',
    description: 'How long a TLS handshake may take.',
  },
  maxConnectionAge: {
    type: 'duration',
    flag: 'max_connection_age',
    min: '1m',
    description: 'When a connection ends, so that agents spread over replicas.',
  },
  serverPingInterval: {
    type: 'duration',
    flag: 'server_ping_interval',
    min: '1s',
    description: 'Time between two pings to a client.',
  },
  serverPingTimeout: {
    type: 'duration',
    flag: 'server_ping_timeout',
    min: '1s',
    description: 'How long a client may take to answer a ping.',
  },
  certWatchInterval: {
    type: 'duration',
    flag: 'cert_watch_interval',
    deprecated: 'changed files are noticed at once',
    description: 'How often files are read again.',
  },
  clientMinPingInterval: {
    type: 'duration',
    flag: 'client_min_ping_interval',
    deprecated: pings,
    description: 'The least time between two pings of a client.',
  },
  permitPingWithoutStream: {
    type: 'boolean',
    flag: 'permit_ping_without_stream',
    deprecated: pings,
    description: 'Whether a client without streams may ping.',
  },
  writeBufferSize: { type: 'integer', flag: 'write_buffer_size', deprecated: buffers, description: 'Bytes.' },
  readBufferSize: { type: 'integer', flag: 'read_buffer_size', deprecated: buffers, description: 'Bytes.' },
});

/** What the file says. */
export type GrpcServerConfig = OptionValues<typeof definitions>;

/** Reads the file; one that does not exist says nothing. Throws `Config` that names file, line, key and value. */
export function readServerConfig(path: string | undefined, log: Logger): GrpcServerConfig {
  const exists = path !== undefined && path !== '' && existsSync(path);
  if (path && !exists) log.warn('the file of --server-config does not exist: defaults are used', { path });
  const parsed = parseOptions(definitions, {
    argv: exists ? [`--config=${path}`] : [],
    env: {},
    program: 'flotilla-hub grpc-server',
  });
  if (parsed.kind !== 'run') throw new KubeError('Config', `${path} cannot be read`);
  const { values } = parsed;
  const { tlsMinVersion: min, tlsMaxVersion: max, certWatchInterval } = values;
  if (certWatchInterval !== undefined && certWatchInterval <= 30_000) {
    throw new KubeError('Config', `${path}: cert_watch_interval must be more than 30s; leave it out`);
  }
  if (min && max && (versions[min] ?? '') > (versions[max] ?? '')) {
    throw new KubeError('Config', `${path}: tls_min_version ${min} is newer than tls_max_version ${max}`);
  }
  return values;
}

/** The limits of the server. */
export const limitsOf = (config: GrpcServerConfig): EventServerLimits => ({
  ...defaultLimits,
  ...(config.maxConcurrentStreams && { maxStreamsPerConnection: config.maxConcurrentStreams }),
  ...(config.maxReceiveMessageSize && { maxMessageBytes: config.maxReceiveMessageSize }),
  ...(config.maxSendMessageSize && { maxSendBytes: config.maxSendMessageSize }),
  ...(config.connectionTimeout && { handshakeTimeoutMs: config.connectionTimeout }),
  ...(config.maxConnectionAge && { maxConnectionAgeMs: config.maxConnectionAge }),
  ...(config.serverPingInterval && { pingIntervalMs: config.serverPingInterval }),
  ...(config.serverPingTimeout && { pingTimeoutMs: config.serverPingTimeout }),
});

/** How TLS is served: flags win over the file. */
export function tlsSettingsOf(
  config: GrpcServerConfig,
  flags: { readonly tlsMinVersion?: string | undefined; readonly tlsCipherSuites: readonly string[] },
) {
  const min = flags.tlsMinVersion ?? config.tlsMinVersion;
  const suites = flags.tlsCipherSuites.length > 0 ? flags.tlsCipherSuites : config.cipherSuites;
  const minVersion = min === undefined ? undefined : versions[min];
  const maxVersion = config.tlsMaxVersion === undefined ? undefined : versions[config.tlsMaxVersion];
  return {
    ...(minVersion && { minVersion }),
    ...(maxVersion && { maxVersion }),
    ...(suites.length > 0 && { ciphers: cipherList(suites) }),
  };
}

/** Where OCM's deployment mounts certificates. */
const mounted = {
  certFile: `${MountPath.GrpcServingCertDirectory}/${DataKey.TlsCertificate}`,
  keyFile: `${MountPath.GrpcServingCertDirectory}/${DataKey.TlsKey}`,
  clientCaFile: `${MountPath.GrpcCaDirectory}/${DataKey.CaBundle}`,
};

/** The certificate of the server: the files of the configuration, of `--certdir`, those that are mounted, or else the Secret. */
export function servingSourceOf(config: GrpcServerConfig, secret: ObjectKey, certdir?: string): ServingSource {
  const given = certdir && {
    certFile: join(certdir, DataKey.TlsCertificate),
    keyFile: join(certdir, DataKey.TlsKey),
  };
  const files = given || mounted;
  const { tlsCertFile: certFile = files.certFile, tlsKeyFile: keyFile = files.keyFile } = config;
  const isNamed = Boolean(config.tlsCertFile || config.tlsKeyFile || certdir);
  return isNamed || existsSync(certFile) ? { certFile, keyFile } : { secret };
}

/** The authorities of clients: the file of the configuration, of the flag, the one that is mounted, or else the ConfigMap. */
export function clientCaSourceOf(config: GrpcServerConfig, configMap: ObjectKey, given?: string): ClientCaSource {
  const named = config.clientCaFile || given;
  const file = named || mounted.clientCaFile;
  return named || existsSync(file) ? { file } : { configMap };
}
