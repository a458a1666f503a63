import { basename } from 'node:path';
import { type AccessSource, type Clock, KubeError, kubeconfigAccess, secretAccess } from '@flotilla/kube';
import { FileWatcher } from '@flotilla/kube/files';
import type { secretData } from '@flotilla/kube/kinds';
import { firstValueFrom, map, type ObservedValueOf, ReplaySubject, Subject, skip } from 'rxjs';
import type { BootstrapFiles } from '../../contract/index.ts';

/** Files on disk, read again when they change. */
export const diskFiles = (clock: Clock, env: Readonly<Record<string, string | undefined>>): BootstrapFiles => ({
  kubeconfig: (path) => kubeconfigAccess({ files: path, clock, env }),
  text(path) {
    const changes = new Subject<void>();
    const watcher = new FileWatcher({ clock, onChange: () => changes.next() });
    return {
      current: () => watcher.track((read) => read(path)),
      changes,
      close() {
        watcher.close();
        changes.complete();
      },
    };
  },
});

/** The data of a Secret now and after each change, as `secretData` gives it. */
type SecretChanges = ReturnType<typeof secretData>;

/** The entries of a Secret as files of a directory, as where a pod mounts it. */
export const secretFiles = (
  data: SecretChanges,
  { origin, clock }: { readonly origin: string; readonly clock: Clock },
): BootstrapFiles => ({
  kubeconfig: (path) => secretAccess({ data, origin, clock, key: basename(path) }),
  text(path) {
    const key = basename(path);
    const latest = new ReplaySubject<ObservedValueOf<SecretChanges>>(1);
    const subscription = data.subscribe(latest);
    return {
      async current() {
        const text = (await firstValueFrom(latest))?.[key];
        if (text !== undefined) return Buffer.from(text, 'base64').toString('utf8');
        throw new KubeError('Config', `${origin} has no key ${key}`, { hint: `Add ${key} to the Secret.` });
      },
      changes: latest.pipe(
        skip(1),
        map(() => undefined),
      ),
      close: () => subscription.unsubscribe(),
    };
  },
});

/** Bootstrap access that a program made itself, whatever path is asked for. */
export const accessFiles = (access: AccessSource): BootstrapFiles => ({
  kubeconfig: () => access,
  text(path) {
    throw new KubeError('Config', `there is no file ${path}, only an access to the hub's API server`, {
      hint: 'Give the agent the files that its driver reads.',
    });
  },
});
