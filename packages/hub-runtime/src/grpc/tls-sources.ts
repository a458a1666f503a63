import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { ServingTls } from '@flotilla/cloudevents';
import { type Clock, type Informers, KubeError, type Logger, type ObjectKey, splitKey } from '@flotilla/kube';
import { FileWatcher } from '@flotilla/kube/files';
import { configMaps, secrets } from '@flotilla/kube/kinds';
import { servingAuthorities } from './serving-ca.policy.ts';

/** Where the certificate of the server comes from. */
export type ServingSource =
  | { readonly certFile: string; readonly keyFile: string }
  /** `namespace/name` of a Secret with `tls.crt` and `tls.key`, such as one of cert-manager. */
  | { readonly secret: ObjectKey };

/** Where the authorities of client certificates come from. */
export type ClientCaSource =
  | { readonly file: string }
  /** `namespace/name` of a ConfigMap with `ca-bundle.crt`. */
  | { readonly configMap: ObjectKey };

/** What a server needs for TLS, and where it is. */
export interface TlsSources {
  readonly serving: ServingSource;
  /** Absent: clients have tokens only. */
  readonly clientCa?: ClientCaSource;
  readonly settings?: Pick<ServingTls, 'minVersion' | 'maxVersion' | 'ciphers'>;
}

/** What sources are followed with. */
export interface FollowTlsOptions {
  readonly sources: TlsSources;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called first and at each change, with what can be used. */
  readonly use: (tls: ServingTls) => void;
}

/**
 * Reads files, Secrets and ConfigMaps now and whenever they change. What cannot be used is logged, and what was used before stays.
 * Dispose of the result to end.
 */
export function followTls({ sources, informers, clock, log, use }: FollowTlsOptions): Disposable {
  const { serving, clientCa, settings } = sources;
  const secretCache = 'secret' in serving ? informers.resource(secrets, selected(serving.secret)) : undefined;
  const mapCache =
    clientCa && 'configMap' in clientCa ? informers.resource(configMaps, selected(clientCa.configMap)) : undefined;
  let current = '';
  let lastError = '';
  let reading = Promise.resolve();
  let isClosed = false;
  const refresh = () => {
    reading = reading.then(apply);
  };
  const watcher = new FileWatcher({ clock, onChange: refresh });
  const subscriptions = [secretCache?.changes.subscribe(refresh), mapCache?.changes.subscribe(refresh)];

  async function apply(): Promise<void> {
    if (isClosed) return;
    try {
      const tls = await watcher.track(read);
      const key = JSON.stringify(tls);
      if (isClosed || key === current) return;
      requireUsable(tls);
      const isFirst = current === '';
      current = key;
      lastError = '';
      use(tls);
      if (!isFirst) log.info('serving new connections with another certificate or client CA', { ...origins(sources) });
    } catch (error) {
      const { message } = KubeError.from(error);
      if (message !== lastError)
        log.warn('the certificates to serve with cannot be used yet', { error, ...origins(sources) });
      lastError = message;
    }
  }

  async function read(file: (path: string) => Promise<string>): Promise<ServingTls> {
    const pair: ServingPair =
      'secret' in serving
        ? pairOf(serving.secret, secretCache?.get(serving.secret)?.data)
        : { certificate: await file(serving.certFile), key: await file(serving.keyFile) };
    if (!clientCa) return servingTls(pair, undefined, settings);
    const bundle =
      'configMap' in clientCa ? mapCache?.get(clientCa.configMap)?.data?.[bundleKey] : await file(clientCa.file);
    if (!bundle && 'configMap' in clientCa) {
      throw new KubeError('Config', `ConfigMap ${clientCa.configMap} with ${bundleKey} does not exist yet`);
    }
    return servingTls(pair, bundle, settings);
  }

  refresh();
  return {
    [Symbol.dispose]() {
      isClosed = true;
      watcher.close();
      for (const subscription of subscriptions) subscription?.unsubscribe();
      secretCache?.close();
      mapCache?.close();
    },
  };
}

function servingTls(
  { ca, ...pair }: ServingPair,
  bundle: string | undefined,
  settings: TlsSources['settings'],
): ServingTls {
  const servingCa = servingAuthorities({ certificate: pair.certificate, ca, clientCa: bundle });
  return { ...pair, ...(servingCa && { servingCa }), ...(bundle && { clientCa: bundle }), ...settings };
}

/** One object alone. */
const selected = (key: ObjectKey) => {
  const { namespace = '', name } = splitKey(key);
  return { namespace, fieldSelector: `metadata.name=${name}` };
};

const bundleKey = 'ca-bundle.crt';

interface ServingPair {
  readonly certificate: string;
  readonly key: string;
  /** `ca.crt` of a Secret. */
  readonly ca?: string;
}

function pairOf(key: ObjectKey, data: Readonly<Record<string, string>> | undefined): ServingPair {
  const { 'tls.crt': certificate, 'tls.key': privateKey, 'ca.crt': ca } = data ?? {};
  if (!certificate || !privateKey) {
    throw new KubeError('Config', `Secret ${key} with tls.crt and tls.key does not exist yet`);
  }
  return { certificate: decoded(certificate), key: decoded(privateKey), ...(ca && { ca: decoded(ca) }) };
}

const decoded = (data: string): string => Buffer.from(data, 'base64').toString('utf8');

/** Throws `Config` with the reason. */
function requireUsable({ certificate, key, servingCa: _announced, clientCa, ...settings }: ServingTls): void {
  try {
    createSecureContext({ cert: certificate, key, ...(clientCa && { ca: clientCa }), ...settings });
    // Node takes an empty key, as of a file that is being written.
    if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
      throw new Error('key values mismatch');
  } catch (cause) {
    throw new KubeError('Config', `TLS cannot be served: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
      hint: 'Certificate, key and client CA must be PEM, the key that of the certificate, and the cipher suites known.',
    });
  }
}

const origins = ({ serving, clientCa }: TlsSources) => ({
  serving: 'secret' in serving ? `Secret ${serving.secret}` : serving.certFile,
  ...(clientCa && { clientCa: 'configMap' in clientCa ? `ConfigMap ${clientCa.configMap}` : clientCa.file }),
});
