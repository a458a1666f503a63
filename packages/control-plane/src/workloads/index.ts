export { type ServiceLookup, serviceEndpoint } from './endpoints/service-endpoint.ts';
export { startWorkloads } from './start-workloads.ts';
export { workloadControllers } from './workload-controllers.ts';
