/** Dividing one cache by a field, for programs that run many agents on one watch. */
export { type PartitionedResource, partition } from './partition.ts';
