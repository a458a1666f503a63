import { ApiGroup, ServiceAccountName, UserName } from '@flotilla/api-types';
import { boundPolicy } from '@flotilla/kube/admission';
import type { KubeObject } from '@flotilla/schema';

const sameMetadata = (field: string): string =>
  `object.metadata.?${field}.orValue({}) == oldObject.metadata.?${field}.orValue({})`;

/**
 * The gRPC server faces other networks, and keeps the finalizers of works for agents. RBAC cannot say that it changes nothing else, and
 * whoever writes works runs what they like on clusters: so a policy says it.
 */
export const grpcWorksPolicy = (namespace: string): KubeObject[] =>
  boundPolicy({
    name: 'grpc-works.policy.work.open-cluster-management.io',
    group: ApiGroup.Work,
    version: 'v1',
    resource: 'manifestworks',
    matchConditions: [
      {
        name: 'by-the-grpc-server',
        expression: `request.userInfo.username == '${UserName.ServiceAccount.of({ namespace, name: ServiceAccountName.GrpcServer })}'`,
      },
    ],
    validations: [
      {
        // The generation changes with the spec.
        expression: [
          "request.operation == 'UPDATE'",
          'object.metadata.generation == oldObject.metadata.generation',
          sameMetadata('labels'),
          sameMetadata('annotations'),
          'object.metadata.?ownerReferences.orValue([]) == oldObject.metadata.?ownerReferences.orValue([])',
        ].join(' && '),
        message: 'the gRPC server of the hub changes only the finalizers of works',
      },
    ],
  });
