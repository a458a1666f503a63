import type { StorageClass } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { nameOf, type RowPrinter, row } from '../cell.ts';

interface CsiNode extends KubeObject {
  readonly spec?: { readonly drivers?: readonly object[] };
}

interface CsiDriver extends KubeObject {
  readonly spec?: {
    readonly attachRequired?: boolean;
    readonly podInfoOnMount?: boolean;
    readonly storageCapacity?: boolean;
    readonly requiresRepublish?: boolean;
    readonly tokenRequests?: readonly { readonly audience: string }[];
    readonly volumeLifecycleModes?: readonly string[];
  };
}

interface VolumeAttachment extends KubeObject {
  readonly spec?: {
    readonly attacher?: string;
    readonly nodeName?: string;
    readonly source?: { readonly persistentVolumeName?: string };
  };
  readonly status?: { readonly attached?: boolean };
}

interface VolumeAttributesClass extends KubeObject {
  readonly driverName?: string;
}

const isDefault = ({ metadata }: KubeObject): boolean =>
  metadata?.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true' ||
  metadata?.annotations?.['storageclass.beta.kubernetes.io/is-default-class'] === 'true';

export const storageClassRow: RowPrinter = (object, ages) => {
  const { provisioner, reclaimPolicy, volumeBindingMode, allowVolumeExpansion, metadata } = object as StorageClass;
  return [
    isDefault(object) ? `${nameOf(object)} (default)` : nameOf(object),
    provisioner ?? '',
    reclaimPolicy ?? 'Delete',
    volumeBindingMode ?? 'Immediate',
    allowVolumeExpansion ?? false,
    ages.since(metadata?.creationTimestamp),
  ];
};

export const csiNodeRow: RowPrinter = row<CsiNode>(({ spec }) => [spec?.drivers?.length ?? 0]);

export const csiDriverRow: RowPrinter = row<CsiDriver>(({ spec }) => [
  spec?.attachRequired ?? true,
  spec?.podInfoOnMount ?? false,
  spec?.storageCapacity ?? false,
  spec?.tokenRequests?.map(({ audience }) => audience).join(',') ?? '<unset>',
  spec?.requiresRepublish ?? false,
  spec?.volumeLifecycleModes?.join(',') || '<none>',
]);

export const volumeAttachmentRow: RowPrinter = row<VolumeAttachment>(({ spec, status }) => [
  spec?.attacher ?? '',
  spec?.source?.persistentVolumeName ?? '',
  spec?.nodeName ?? '',
  status?.attached ?? false,
]);

export const volumeAttributesClassRow: RowPrinter = row<VolumeAttributesClass>(({ driverName }) => [driverName ?? '']);
