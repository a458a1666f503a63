import type { PersistentVolume, PersistentVolumeClaim } from '@flotilla/kube/kinds';
import { type RowPrinter, row } from '../cell.ts';

const shortModes: readonly (readonly [mode: string, shown: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

const modesText = (modes: readonly string[] = []): string =>
  shortModes
    .filter(([mode]) => modes.includes(mode))
    .map(([, shown]) => shown)
    .join(',');

/** An annotation was the way to name a class before there was a field, and still wins. */
const classOf = ({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string =>
  metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '';

const phaseOf = ({ metadata, status }: PersistentVolume | PersistentVolumeClaim): string =>
  metadata?.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating';

export const persistentVolumeRow: RowPrinter = row<PersistentVolume>(
  (volume) => {
    const { spec, status } = volume;
    return [
      spec?.capacity?.storage ?? '0',
      modesText(spec?.accessModes),
      spec?.persistentVolumeReclaimPolicy ?? '',
      phaseOf(volume),
      spec?.claimRef ? `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}` : '',
      classOf(volume),
      spec?.volumeAttributesClassName ?? '<unset>',
      status?.reason ?? '',
    ];
  },
  ({ spec }) => [spec?.volumeMode ?? '<unset>'],
);

export const persistentVolumeClaimRow: RowPrinter = row<PersistentVolumeClaim>(
  (claim) => {
    const { spec, status } = claim;
    const bound = spec?.volumeName !== undefined && spec.volumeName !== '';
    return [
      phaseOf(claim),
      spec?.volumeName ?? '',
      bound ? (status?.capacity?.storage ?? '0') : '',
      bound ? modesText(status?.accessModes) : '',
      classOf(claim),
      spec?.volumeAttributesClassName ?? '<unset>',
    ];
  },
  ({ spec }) => [spec?.volumeMode ?? '<unset>'],
);
