import type { KubeObject, ResourceType } from '@flotilla/schema';
import { createTransport, type TransportOptions } from '../client/create-transport.ts';
import type { Transport } from '../client/transport.ts';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real-clock.ts';
import { defaultAccess } from '../credentials/default-access.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import type { HandleContext } from './calls.ts';
import { createHandle } from './create-handle.ts';
import { metadataOnly, wholeObjects } from './representation.ts';
import type { ResourceHandle } from './resource-handle.ts';
import { createRestMapper, type RestMapper } from './rest-mapper.ts';
import { createWarningLog } from './warnings.ts';

/** A kind as manifests name it. */
export interface KindReference {
  apiVersion: string;
  kind: string;
}

/** The client of one API server. `await using` closes it at the end of a block. */
export interface KubeClient extends AsyncDisposable {
  /** For calls that no handle has: `/version`, `/readyz`. */
  readonly transport: Transport;
  /** Which kinds the server serves. */
  readonly mapper: RestMapper;
  /** The calls on a kind that is known at compile time. */
  resource<T extends KubeObject>(type: ResourceType<T>): ResourceHandle<T>;
  /** Like `resource`, but objects come with their metadata only: for many of which little is needed. */
  metadata(type: ResourceType): ResourceHandle<KubeObject>;
  /** The calls on a kind that is known at run time, found by discovery; `UnknownKind` if the server does not serve it. */
  dynamic(kind: KindReference): Promise<ResourceHandle<KubeObject>>;
  /** Ends all requests and watches, and stops following the default access if the client opened it. */
  close(): Promise<void>;
}

/** What every client can be given. */
export interface KubeClientSettings {
  /** Whom the server records as owner of written and applied fields, unless a call says otherwise. */
  fieldManager?: string;
  log?: Logger;
  clock?: Clock;
}

/**
 * A client over a transport of its own, with the transport's options, or over one that is given. Without `access` the client
 * finds the cluster as kubectl does, and closes that access when it is closed; an access that is given stays the caller's.
 */
export type KubeClientOptions = KubeClientSettings &
  (({ transport?: undefined } & Partial<TransportOptions>) | { transport: Transport });

/** A client of one API server. It connects at the first request. */
export function createKubeClient(options: KubeClientOptions = {}): KubeClient {
  const { fieldManager, log = silentLogger, clock = realClock } = options;
  const { transport, close } = options.transport ? given(options.transport) : connect({ ...options, clock });
  const context: HandleContext = { transport, fieldManager, onWarning: createWarningLog(log) };
  const mapper = createRestMapper({ transport, clock });
  return {
    transport,
    mapper,
    resource: (type) => createHandle(context, type, wholeObjects(type)),
    metadata: (type) => createHandle(context, type, metadataOnly(type)),
    async dynamic({ apiVersion, kind }) {
      const type = await mapper.byKind(apiVersion, kind);
      return createHandle(context, type, wholeObjects(type));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const given = (transport: Transport) => ({ transport, close: () => transport.close() });

function connect(options: Partial<TransportOptions> & { clock: Clock }) {
  const { clock, env } = options;
  const access = options.access ?? defaultAccess({ clock, ...(env && { env }) });
  const transport = createTransport({ ...options, access });
  const close = async () => {
    await transport.close();
    if (!options.access) access.close();
  };
  return { transport, close };
}
