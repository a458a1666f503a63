import type { OptionValues } from '@flotilla/process';
import { type ClusterArn, clusterArnOfFlag } from '../arn.ts';
import type { hubOptions } from '../options.ts';
import { parseResourceTags } from '../resource-tags.ts';
import { type ArnPatterns, compileArnPatterns } from './approval.ts';

/** The flags of the hub, as the driver uses them. */
export interface HubSettings {
  readonly hub: ClusterArn;
  readonly tags: Readonly<Record<string, string>>;
  /** Whether the cluster with this ARN needs no administrator. */
  readonly isAutoApproved: ArnPatterns;
}

/** Reads the flags of the hub; throws `Config` for what cannot work, naming the flag and the value. */
export const readHubOptions = (options: OptionValues<typeof hubOptions>): HubSettings => ({
  hub: clusterArnOfFlag('hub-cluster-arn', options.hubClusterArn),
  tags: parseResourceTags(options.awsResourceTags),
  isAutoApproved: compileArnPatterns(options.autoApprovedArnPatterns),
});
