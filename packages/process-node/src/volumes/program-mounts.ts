import type { ContainerMount } from '../contracts/image.ts';

/** Mounts that keep programs where they are, below a volume that would hide them or have others in their place: a checkout in /tmp, say. */
export const programMounts = (files: readonly string[], mounts: readonly ContainerMount[]): ContainerMount[] =>
  files
    .filter((file) => mounts.some(({ mountPath }) => file.startsWith(`${mountPath.replace(/\/+$/, '')}/`)))
    .map((path) => ({ mountPath: path, path, readOnly: true }));
