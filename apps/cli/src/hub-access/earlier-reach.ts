import { DataKey } from '@flotilla/api-types';
import { readEndpoint } from '@flotilla/registration-core/kube-hub';
import { isRecord } from '@flotilla/schema';
import { parse } from 'yaml';

/** The API server of a hub, as a bootstrap kubeconfig has it. */
export interface EarlierApiServer {
  readonly server: string;
  /** PEM */
  readonly ca?: string;
  readonly proxyUrl?: string;
}

/** How a Secret makes an agent reach its hub. A repeated `join` keeps what no flag names. */
export interface EarlierReach {
  readonly hub?: EarlierApiServer;
  /** The gRPC server; `ca` is PEM. */
  readonly grpc?: { readonly url?: string; readonly ca?: string };
}

/** Reads the kubeconfig and the gRPC configuration of a Secret; what cannot be read counts as absent. */
export function readReach(data: Readonly<Record<string, string>> = {}): EarlierReach {
  const hub = apiServer(decoded(data[DataKey.Kubeconfig]) ?? '');
  const grpc = grpcServer(decoded(data[DataKey.DriverConfig]));
  return { ...(hub && { hub }), ...(grpc && { grpc }) };
}

const decoded = (value: string | undefined): string | undefined =>
  value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');

function apiServer(kubeconfig: string): EarlierApiServer | undefined {
  try {
    const { server, caData, proxyUrl } = readEndpoint(kubeconfig);
    const ca = decoded(caData);
    return { server, ...(ca !== undefined && { ca }), ...(proxyUrl !== undefined && { proxyUrl }) };
  } catch {
    return undefined;
  }
}

function grpcServer(config: string | undefined): EarlierReach['grpc'] {
  if (config === undefined) return undefined;
  try {
    const document: unknown = parse(config);
    const { url, caData } = isRecord(document) ? document : {};
    return {
      ...(typeof url === 'string' && { url }),
      ...(typeof caData === 'string' && { ca: Buffer.from(caData, 'base64').toString('utf8') }),
    };
  } catch {
    return undefined;
  }
}
