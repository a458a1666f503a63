import { describe, expect, it } from 'vitest';
import { kubeErrorCodes } from './codes.ts';
import { hintFor } from './hints.ts';

describe('the hint of a Forbidden', () => {
  it.each([
    [
      'a namespaced resource',
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "team-a"',
      'kubectl auth can-i list pods -n team-a --as=jane',
    ],
    [
      'a resource of the whole cluster',
      'deployments.apps is forbidden: User "system:serviceaccount:a:b" cannot watch resource "deployments" in API group "apps" at the cluster scope',
      'kubectl auth can-i watch deployments.apps --all-namespaces --as=system:serviceaccount:a:b',
    ],
    [
      'a subresource',
      'x is forbidden: User "jane" cannot patch resource "managedclusters/status" in API group "cluster.open-cluster-management.io" at the cluster scope',
      'kubectl auth can-i patch managedclusters.cluster.open-cluster-management.io --subresource=status --all-namespaces --as=jane',
    ],
    ['a path', 'forbidden: User "jane" cannot get path "/metrics"', 'kubectl auth can-i get /metrics --as=jane'],
    [
      'a user whose name needs quoting',
      'pods is forbidden: User "it\'s me" cannot get resource "pods" in API group "" in the namespace "a"',
      String.raw`kubectl auth can-i get pods -n a --as='it'\''s me'`,
    ],
  ])('gives the command to check %s', (_what, message, command) => {
    expect(hintFor('Forbidden', message)).toContain(`\`${command}\``);
  });

  it('says to wait for a namespace that is going', () => {
    expect(
      hintFor('Forbidden', 'unable to create new content in namespace a because it is being terminated'),
    ).toContain('being deleted');
  });

  it('falls back to the table', () => {
    expect(hintFor('Forbidden', 'admission said no')).toBe(kubeErrorCodes.Forbidden.hint);
  });
});
