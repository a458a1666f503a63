import { defineOptions } from '@flotilla/process';

const group = 'Ignored';
const description = 'Ignored; there because deployments of OCM may have it.';
const grpc = 'only the driver grpc reads it, which this hub does not have';
const cloudEvents = 'works are objects of the API server here';

/** Flags of OCM's work controllers for drivers of works that are not there. */
export const cloudEventsFlags = defineOptions({
  workDriverConfig: { type: 'string', group, deprecated: cloudEvents, description },
  cloudeventsClientId: { type: 'string', group, deprecated: cloudEvents, description },
});

/**
 * Flags of OCM's controllers for what is not there: OCM reads them only with a driver, a feature gate or another flag that
 * asks for it. A driver that is there brings its own.
 */
export const absentFlags = defineOptions({
  autoApprovedGrpcUsers: { type: 'list', group, deprecated: grpc, description },
  grpcCaFile: { type: 'string', group, deprecated: grpc, description },
  grpcKeyFile: { type: 'string', group, deprecated: grpc, description },
  grpcSigningDuration: { type: 'duration', group, deprecated: grpc, description },
  ...cloudEventsFlags,
});
