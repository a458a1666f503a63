import { type Defaulter, ensure, fill } from './fill.ts';

export const defaultStorageClass: Defaulter = (storageClass) =>
  fill(storageClass, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });

export const defaultCsiDriver: Defaulter = (driver) =>
  fill(ensure(driver, 'spec'), {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    volumeLifecycleModes: ['Persistent'],
    requiresRepublish: false,
    seLinuxMount: false,
  });
