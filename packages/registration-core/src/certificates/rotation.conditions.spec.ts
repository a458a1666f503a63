import { describe, expect, it } from 'vitest';
import { undecidedMessage } from './rotation.conditions.ts';

const forwarded = { 'open-cluster-management.io/csr-user': 'system:open-cluster-management:c1:agent' };
const requestBy = (username: string, annotations: Record<string, string> = {}) => ({
  metadata: { name: 'c1-x', annotations },
  spec: { request: '', signerName: 'open-cluster-management.io/grpc', username },
});

describe('what an agent says about a renewal that nobody decides about', () => {
  it('names the flag for the user of a gRPC server that the hub does not know', () => {
    const message = undecidedMessage(requestBy('system:serviceaccount:other:grpc', forwarded));
    expect(message).toContain('request c1-x for the next certificate waits for approval on the hub');
    expect(message).toContain('start the hub with --grpc-server-users=system:serviceaccount:other:grpc');
  });

  it.each([
    [
      'the gRPC server that hubs know sent it',
      'system:serviceaccount:open-cluster-management-hub:grpc-server-sa',
      forwarded,
    ],
    ['the agent sent it itself', 'system:open-cluster-management:c1:agent', {}],
  ])('leads to the log of the hub where %s', (_, username, annotations) => {
    const message = undecidedMessage(requestBy(username, annotations));
    expect(message).toContain('The log of the hub says why');
    expect(message).not.toContain('--grpc-server-users');
  });
});
