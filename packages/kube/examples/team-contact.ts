import type { KubeClient } from '@flotilla/kube';
import { createInformers, defineController, done, on, runControllers } from '@flotilla/kube';
import { configMaps, namespaces } from '@flotilla/kube/kinds';

/** Keeps a config map `contact` in each namespace that has a label `team`, until the signal aborts. */
export async function runTeamContact(client: KubeClient, signal: AbortSignal): Promise<void> {
  using informers = createInformers({ client });
  const spaces = informers.resource(namespaces);
  const contacts = informers.resource(configMaps, { labelSelector: 'app=team-contact' });

  const teamContact = defineController({
    name: 'team-contact',
    watches: [on(spaces), on(contacts, (contact) => contact.metadata?.namespace)],
    async reconcile(name, { log }) {
      const space = spaces.get(name);
      if (!space || space.metadata?.deletionTimestamp) return done;
      const team = space.metadata?.labels?.team;
      if (contacts.get(`${name}/contact`)?.data?.team === team) return done;
      if (team === undefined) {
        await contacts.delete(`${name}/contact`);
      } else {
        const metadata = { namespace: name, name: 'contact', labels: { app: 'team-contact' } };
        await contacts.apply({ metadata, data: { team } }, { fieldManager: 'team-contact' });
      }
      log.info('contact follows the namespace', { team });
      return done;
    },
  });

  await runControllers([teamContact], { signal });
}
