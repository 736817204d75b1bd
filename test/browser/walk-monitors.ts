import assert from 'node:assert/strict';
import { findViolations } from '../harness/portal.ts';
import { until } from '../harness/until.ts';
import type { Flow } from './walk-flows.ts';

/** What people do with monitors and webhooks. The account is on the Pro plan. */
export const monitorFlows: Readonly<Record<string, Flow>> = {
  async 'watch a search, a company and a pasted list'({ demo, window: { page }, javaScriptEnabled, isChecked }) {
    const check = async (name: string) => {
      if (isChecked) assert.deepEqual(await findViolations(page), [], name);
    };
    await page.goto(`${demo.server.url}/explore?q=ltd&country=GB&page=2`);
    await page.getByRole('link', { name: 'Watch this search' }).click();
    assert.equal(await page.getByLabel('Or a search').inputValue(), 'q=ltd&country=GB');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Limited');
    await page.getByText('What counts as a change').click();
    await check('a new monitor');
    await page.getByRole('button', { name: 'Create monitor' }).click();
    await page.getByRole('heading', { name: 'Limited', level: 1 }).waitFor();
    await page.getByText('No changes yet').waitFor();
    await check('a monitor');
    await page.getByRole('link', { name: 'Show the companies' }).click();
    await page.waitForURL(/explore\?q=ltd&country=GB$/);
    await page.locator('.results .name').first().click();
    const address = new URL(page.url()).pathname;
    await page.getByRole('button', { name: 'Watch this company' }).click();
    await page.getByRole('heading', { name: 'Watched companies' }).waitFor();
    await page.getByRole('link', { name: 'Show the companies' }).click();
    assert.equal(await page.locator('.results .name').first().getAttribute('href'), address);
    await check('the companies of a monitor');

    await page.goto(`${demo.server.url}/dashboard/monitors`);
    assert.equal(await page.getByLabel('From a file').isVisible(), javaScriptEnabled);
    const list = `id,name\n${address.slice('/entities/'.length)},"A, B"\n`;
    if (javaScriptEnabled) {
      const file = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(list) };
      await page.getByLabel('From a file').setInputFiles(file);
      await page.waitForFunction('document.getElementById("list").value !== ""');
    } else await page.getByLabel('Companies', { exact: true }).fill(list);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Pasted');
    await page.getByRole('button', { name: 'Create monitor' }).click();
    await page.getByText('1 company. Since').waitFor();
    await page.getByText('Change the name or what counts').click();
    await page.getByLabel('Status', { exact: true }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('(only status)').waitFor();
    await page.getByRole('button', { name: 'Create a feed address' }).click();
    const feed = (await page.getByRole('group', { name: 'Atom feed' }).textContent()) ?? '';
    await page.getByRole('button', { name: 'Renew the feed address' }).click();
    await page.getByText('It is shown only now').waitFor();
    assert.notEqual(await page.getByRole('group', { name: 'Atom feed' }).textContent(), feed);
    assert.equal((await page.context().request.get(feed)).status(), 404);
  },

  async 'send webhooks of one monitor to the receiver of the demo'({ demo, window: { page }, isChecked }) {
    const check = async (name: string) => {
      if (isChecked) assert.deepEqual(await findViolations(page), [], name);
    };
    const receiver = `${demo.server.url}/demo/webhooks`;
    await page.goto(`${demo.server.url}/dashboard/webhooks`);
    await page.getByText('This demo has a receiver').waitFor();
    await page.getByLabel('Address of your receiver').fill('http://example.com/');
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    await page.getByRole('alert').getByText('must start with https://').waitFor();
    await page.getByLabel('Address of your receiver').fill(receiver);
    await page.getByLabel('Only these:').check();
    await page.getByLabel('Pasted').check();
    await check('a new endpoint');
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    const secret = (await page.getByRole('group', { name: 'Secret', exact: true }).textContent()) ?? '';
    // Before the first attempt: a second one that comes too early as well would be repeated after five minutes.
    await page.goto(`${receiver}/secret`);
    await check('the secret of the receiver');
    await page.getByLabel('The secret that was shown').fill(secret);
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.waitForURL(receiver);
    await page.goto(`${demo.server.url}/dashboard/webhooks`);
    await page.getByRole('link', { name: receiver }).last().click();
    await page.getByText('Gets the events of Pasted.').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('status').getByText('On its way').waitFor();
    const id =
      (await page
        .locator('#deliveries')
        .getByText(/^msg_test_/)
        .textContent()) ?? '';
    await page.goto(receiver);
    // The page reloads itself. It also shows what came from the endpoints of other walks.
    await page.locator('tr', { hasText: id }).getByText('verified').first().waitFor();
    await check('the receiver');
    await page.goto(`${demo.server.url}/dashboard/webhooks`);
    await page.getByRole('link', { name: receiver }).last().click();
    await page.getByRole('link', { name: 'Delivered' }).click();
    await page.getByText('Delivered', { exact: true }).and(page.locator('strong')).waitFor();
    // It has arrived, but the answer may not be recorded yet, and this page does not reload itself.
    await until('it is listed as delivered', async () => {
      const isListed = (await page.locator('#deliveries').getByText(id).count()) > 0;
      if (!isListed) await page.reload();
      return isListed;
    });
    await check('an endpoint');
    await page.getByRole('link', { name: 'Delete endpoint' }).click();
    await check('deleting an endpoint');
    await page.getByRole('button', { name: 'Delete endpoint' }).click();
    await page.getByRole('status').getByText('Endpoint deleted').waitFor();
  },
};
