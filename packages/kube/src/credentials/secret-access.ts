import { firstValueFrom, type Observable, ReplaySubject } from 'rxjs';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real-clock.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { AccessSource, ClusterAccess } from './access.ts';
import { parseKubeconfig } from './kubeconfig.ts';
import { LastGoodAccess } from './last-good-access.ts';
import { resolveContext } from './resolve-context.ts';

/** `data` of a Secret: base64 by key. */
export type SecretData = Readonly<Record<string, string>>;

/** Which Secret, and what it is called. */
export interface SecretAccessOptions {
  /** The Secret's data now and after each change; undefined while it does not exist. `secretData` makes it from a cache. */
  data: Observable<SecretData | undefined>;
  /** For messages: `Secret open-cluster-management-agent/hub-kubeconfig-secret`. */
  origin: string;
  clock?: Clock;
  /** Key of the kubeconfig. */
  key?: string;
  /** What the Secret says beside its kubeconfig, by its decoded entries; it wins over the kubeconfig. Throws `Config` if that is wrong. */
  extras?: (entry: (key: string) => string | undefined) => Partial<ClusterAccess>;
}

/**
 * Access from a Secret that holds a kubeconfig. Paths in it name other keys of the Secret (`client-certificate: tls.crt`), as in
 * a mounted directory. `current` waits until the Secret was read once. Exec plugins are refused: who may write a Secret
 * must not thereby choose what this process runs.
 */
export function secretAccess({
  data,
  origin,
  clock = realClock,
  key = 'kubeconfig',
  extras = () => ({}),
}: SecretAccessOptions): AccessSource {
  const latest = new ReplaySubject<SecretData | undefined>(1);
  let isFirst = true;
  const access = new LastGoodAccess({
    clock,
    load: async () => {
      const secret = await firstValueFrom(latest);
      if (!secret) throw new KubeError('Config', `${origin} does not exist`);
      const read = async (name: string) => decode(secret, name, origin);
      const config = parseKubeconfig(await read(key), `${key} of ${origin}`);
      const access = await resolveContext(config, { files: { read } });
      const entry = (name: string) => (secret[name] === undefined ? undefined : decode(secret, name, origin));
      return { ...access, ...extras(entry), origin };
    },
    onClose: () => subscription.unsubscribe(),
  });
  const subscription = data.subscribe({
    next(secret) {
      latest.next(secret);
      if (!isFirst) void access.reload();
      isFirst = false;
    },
    error: (error: unknown) => latest.error(error),
  });
  return access;
}

function decode(secret: SecretData, reference: string, origin: string): string {
  const value = secret[reference.replace(/^\.\//, '')];
  if (value !== undefined) return Buffer.from(value, 'base64').toString('utf8');
  throw new KubeError('Config', `${origin} has no key ${reference}`, {
    hint: `Its kubeconfig may name only keys of the Secret, and it has ${Object.keys(secret).join(', ') || 'none'}.`,
  });
}
