import { type ClusterManager, clusterManagers, ObjectName } from '@flotilla/api-types';
import type { ClusterManagerValues } from '@flotilla/install';
import type { KubeClient } from '@flotilla/kube';
import { type Edit, editOf } from '../cluster/writes.ts';
import type { Connection } from '../context.ts';
import type { Progress } from '../output/progress.ts';
import { changedHub, type HubChanges } from './changed-hub.ts';

/** Where the hub is installed, and what about it was decided already. */
export interface HubInstallation {
  readonly hub: Connection;
  /** How the hub is installed, by an earlier `init` and by the flags of this one. */
  readonly recorded: ClusterManagerValues;
  readonly progress: Progress;
  /** The ClusterManager of an earlier `init`. */
  readonly found: ClusterManager | undefined;
  /** Whether clusters request to join with a bootstrap token: as the flag says, else as before. */
  readonly useBootstrapToken: boolean;
  /** What the flags change in it. */
  readonly changes: HubChanges;
}

/** The changes as an edit of the ClusterManager. */
export const hubEdit = (client: KubeClient, changes: HubChanges): Edit =>
  editOf(client.resource(clusterManagers), ObjectName.ClusterManager, (found) => changedHub(found, changes));
