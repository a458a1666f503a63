import { Annotation, managedClusters } from '@flotilla/api-types';
import { certificateSigningRequests } from '@flotilla/kube/kinds';
import { certificateUser, startTestFleet } from '@flotilla/registration-core/testing';
import { expect, it } from 'vitest';
import { csrFleet, joined } from './fixtures/fleet.ts';

it('approves the renewal that it withheld as soon as an administrator permits it, on a hub without trusted users', async () => {
  await using fleet = await startTestFleet({ ...csrFleet, authenticate: certificateUser });
  await joined(fleet);
  const clusters = fleet.hub.client.resource(managedClusters);
  const withhold = (value: string | null) =>
    clusters.patch('c1', {
      type: 'merge',
      body: { metadata: { annotations: { [Annotation.RenewalWithheld]: value } } },
    });
  const undecided = async () => {
    const { items } = await fleet.hub.client.resource(certificateSigningRequests).list();
    return items.filter(({ status }) => !status?.conditions?.length).map(({ metadata }) => metadata?.name ?? '');
  };
  await withhold('true');
  const waiting = await fleet.eventually(async () => {
    const names = await undecided();
    expect(names).toHaveLength(1);
    return names;
  }, 60_000);
  await fleet.pass(60_000);
  expect(await undecided()).toEqual(waiting);

  await withhold(null);
  await fleet.eventually(async () => expect(await undecided()).toEqual([]), 100);
  const approved = await fleet.hub.client.resource(certificateSigningRequests).get(waiting[0] ?? '');
  expect(approved.status?.conditions?.[0]?.type).toBe('Approved');
});
