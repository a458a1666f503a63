import { type ClusterAccess, KubeError } from '@flotilla/kube';
import { parseDuration } from '@flotilla/kube/meta';
import { isRecord } from '@flotilla/schema';
import { parse, stringify } from 'yaml';

/** OCM's configuration of a gRPC client (`config.yaml`), with the contents of the files that it names. */
export interface GrpcConfig {
  /** `host:port`, as it is written. */
  readonly url: string;
  /** PEM. */
  readonly ca?: string;
  /** PEM. */
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
  readonly token?: string;
  /** As it is written: this client always pings, so that nothing of it is needed here. */
  readonly keepAliveConfig?: object;
  /** How long the server may send no heartbeat. */
  readonly serverHealthinessTimeoutMs?: number;
}

/** Reads a file that a configuration names. */
export type ReadText = (path: string) => Promise<string>;

/** Reads a configuration and the files that it names. Throws `Config`, in OCM's words where it has some. */
export async function readGrpcConfig(path: string, read: ReadText): Promise<GrpcConfig> {
  const fields = parseFields(await read(path), path);
  const text = (name: string): string => textField(fields, name, path);
  /** What stands in the configuration wins over a file. */
  const embedded = async (name: string): Promise<string> => {
    const data = text(`${name}Data`);
    if (data) return Buffer.from(data, 'base64').toString('utf8');
    const file = text(`${name}File`);
    return file ? read(file) : '';
  };
  const url = text('url');
  if (!url) throw invalid(path, 'url is required', 'Name the gRPC server of the hub as host:port.');
  if (url.includes('/')) throw invalid(path, `url is ${JSON.stringify(url)}`, 'Write host:port, without a scheme.');
  const [ca, certificate, key] = [await embedded('ca'), await embedded('clientCert'), await embedded('clientKey')];
  if (!certificate !== !key) {
    throw invalid(
      path,
      'either both or none of clientCertFile and clientKeyFile must be set',
      'Give the certificate and its key, or a token.',
    );
  }
  const token = text('token') || (text('tokenFile') && (await read(text('tokenFile'))).trim());
  if (token && !ca) {
    const hint = 'Give caData or caFile, so that the token is sent to no other server.';
    throw invalid(path, 'setting token requires authority certificates', hint);
  }
  const timeout = fields.serverHealthinessTimeout;
  return {
    url,
    ...(ca && { ca }),
    ...(certificate && { clientCertificate: { certificate, key } }),
    ...(token && { token }),
    ...(isRecord(fields.keepAliveConfig) && { keepAliveConfig: fields.keepAliveConfig }),
    ...(timeout !== undefined && timeout !== null && { serverHealthinessTimeoutMs: durationMs(timeout, path) }),
  };
}

/** How to reach the server of a configuration. Without a token or a certificate the connection is not encrypted, as in OCM. */
export const accessOfGrpcConfig = (config: GrpcConfig, origin: string): ClusterAccess => ({
  server: `${config.token || config.clientCertificate ? 'https' : 'http'}://${config.url}`,
  origin,
  ...(config.ca && { ca: config.ca }),
  ...(config.clientCertificate && { clientCertificate: config.clientCertificate }),
  ...(config.token && { authorization: `Bearer ${config.token}` }),
});

/** What is written into a configuration for others. */
export interface GrpcConfigFields {
  readonly url: string;
  /** Base64 of PEM. */
  readonly caData?: string;
  readonly clientCertFile: string;
  readonly clientKeyFile: string;
  readonly keepAliveConfig?: object;
  readonly serverHealthinessTimeout?: string;
}

/** Writes a configuration byte for byte as OCM's agents do, whose fields have this order. */
export function formatGrpcConfig(fields: GrpcConfigFields): string {
  const { url, caData, clientCertFile, clientKeyFile, keepAliveConfig, serverHealthinessTimeout } = fields;
  return stringify(
    {
      ...(caData && { caData }),
      clientCertFile,
      clientKeyFile,
      url,
      token: '',
      ...(keepAliveConfig && { keepAliveConfig }),
      ...(serverHealthinessTimeout && { serverHealthinessTimeout }),
    },
    { lineWidth: 0, indentSeq: false },
  );
}

/** What a stored configuration says about where the server is; the files that it names are not read. */
export function parseGrpcConfig(text: string, origin: string): Pick<GrpcConfigFields, 'url' | 'caData'> {
  const fields = parseFields(text, origin);
  const caData = textField(fields, 'caData', origin);
  const url = textField(fields, 'url', origin);
  if (!url) throw invalid(origin, 'url is required', 'Name the gRPC server of the hub as host:port.');
  return { url, ...(caData && { caData }) };
}

function parseFields(text: string, origin: string): Readonly<Record<string, unknown>> {
  let fields: unknown;
  try {
    fields = parse(text);
  } catch (cause) {
    throw new KubeError('Config', `${origin} is not YAML`, { cause });
  }
  if (isRecord(fields)) return fields;
  throw invalid(origin, 'it is not a YAML mapping', 'Write a line such as url: host:port.');
}

function textField(fields: Readonly<Record<string, unknown>>, name: string, origin: string): string {
  const value = fields[name] ?? '';
  if (typeof value === 'string') return value;
  throw invalid(origin, `${name} is ${JSON.stringify(value)}`, 'Write a string.');
}

/** Go reads a number as nanoseconds. */
function durationMs(value: unknown, origin: string): number {
  if (typeof value === 'number') return value / 1e6;
  if (typeof value === 'string') return parseDuration(value);
  throw invalid(origin, `serverHealthinessTimeout is ${JSON.stringify(value)}`, 'Write a duration such as 30s.');
}

const invalid = (origin: string, message: string, hint: string): KubeError =>
  new KubeError('Config', `${origin}: ${message}`, { hint });
