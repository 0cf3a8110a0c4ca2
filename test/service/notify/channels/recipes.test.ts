/** The templates of the guide, and those that published clients send, make valid bodies of every alert. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ALERT_KINDS } from '../../../../src/contract/enumerations.ts';
import { renderMessage, validateChannel } from '../../../../src/service/notify/channels/index.ts';
import type { AlertFacts } from '../../../../src/service/notify/facts/alert-facts.ts';
import { blocksOf } from '../../../support/guide.ts';

const facts: AlertFacts = {
  kind: 'ALERT_FAILURE',
  at: 0,
  since: 0,
  check: { id: 'c', name: 'say "hi" \\ <b>&\n', type: 'URL' },
  groupName: null,
  tags: ['a"b', 'c'],
  link: 'https://sonde.example.com/r?a=1&b=2',
  run: {
    sessionId: 's',
    resultId: 'r',
    location: 'l',
    responseTime: 1.5,
    startedAt: 0,
    error: 'a\n"b" <c> & d',
  },
};

function bodyOf(config: object, kind: AlertFacts['kind']): string {
  const message = renderMessage({ type: 'WEBHOOK', config }, { ...facts, kind });
  return message.kind === 'webhook' ? message.body : '';
}

const guide = blocksOf(readFileSync('docs/alerts.md', 'utf8'), 'sh').join('\n');
const recipes = [
  ...guide.matchAll(/--name ("[^"]+"|\S+)(?:(?!sonde alert)[\s\S])*?--template '([^']+)'/g),
].map(([, name = '', template = '']) => ({ name: name.replaceAll('"', ''), template }));

describe('the recipes of the guide', () => {
  it('has the ones that it promises', () => {
    expect(recipes.map(({ name }) => name)).toEqual([
      'Deploys',
      'Mattermost',
      'Rocket.Chat',
      'Google Chat',
      'Matrix (Hookshot)',
      'Pushover',
      'Gotify',
      'Home Assistant',
      'Splunk On-Call',
      'incident.io',
      'Apprise',
    ]);
  });

  it.each(recipes)('$name makes JSON that says what happened', ({ name, template }) => {
    const config = { name, url: 'https://hooks.example.com/', template };
    expect(validateChannel({ type: 'WEBHOOK', config })).toEqual([]);
    for (const kind of ALERT_KINDS) {
      const body = JSON.stringify(JSON.parse(bodyOf(config, kind)));
      expect(body).toContain('say');
      if (template.includes('RECOVERY'))
        expect(body).toMatch(
          kind.includes('RECOVERY')
            ? /RECOVERY|resolved|success|"priority":0/
            : /CRITICAL|firing|failure|"priority":1/,
        );
    }
  });
});

describe('a template of a published client', () => {
  it('makes a form for Telegram whose HTML names cannot change', () => {
    const template =
      'chat_id=-1001&message_thread_id=42&parse_mode=HTML&text=<b>{{ALERT_TITLE}}</b> at {{RUN_LOCATION}} ({{RESPONSE_TIME}}ms)\n{{#if AI_ANALYSIS_CLASSIFICATION}}{{AI_ANALYSIS_ROOT_CAUSE}}{{/if}}Tags: {{#each TAGS}} <i>{{this}}</i> {{#unless @last}},{{/unless}} {{/each}}<a href="{{RESULT_LINK}}">View</a>';
    const url = 'https://api.telegram.org/bot1:a/sendMessage';
    const config = { name: 't', webhookType: 'WEBHOOK_TELEGRAM', url, template, method: 'POST' };
    expect(validateChannel({ type: 'WEBHOOK', config })).toEqual([]);
    const form = new URLSearchParams(bodyOf(config, 'ALERT_FAILURE'));
    expect([form.get('chat_id'), form.get('message_thread_id'), form.get('parse_mode')]).toEqual([
      '-1001',
      '42',
      'HTML',
    ]);
    const text = form.get('text') ?? '';
    expect(text).toContain('<b>Failing: say &quot;hi&quot; \\ &lt;b&gt;&amp;</b>');
    expect(text).toContain('<a href="https://sonde.example.com/r?a=1&amp;b=2">');
    expect(text.replaceAll(/<\/?(?:a|b|i)(?: href="[^"<>]*")?>/g, '')).not.toMatch(/[<>]/);
    expect(renderMessage({ type: 'WEBHOOK', config }, facts)).toMatchObject({
      contentType: 'application/x-www-form-urlencoded',
    });
  });

  it('makes JSON for incident tools and Microsoft Teams', () => {
    const template =
      '{"title": "{{ALERT_TITLE}}", "description": "{{ALERT_TITLE}} {{#if AI_ANALYSIS_CLASSIFICATION}}{{{AI_ANALYSIS_ROOT_CAUSE}}}{{/if}}", {{#contains ALERT_TYPE "RECOVERY"}}"status": "resolved"{{else}}"status": "firing"{{/contains}}, "kind": "{{#eq ALERT_TYPE "ALERT_FAILURE"}}down{{else}}other{{/eq}}"}';
    const config = {
      name: 'i',
      webhookType: 'WEBHOOK_INCIDENTIO',
      url: 'https://api.incident.io/',
      template,
    };
    expect(validateChannel({ type: 'WEBHOOK', config })).toEqual([]);
    expect(JSON.parse(bodyOf(config, 'ALERT_RECOVERY'))).toMatchObject({ status: 'resolved', kind: 'other' });
    expect(JSON.parse(bodyOf(config, 'ALERT_FAILURE'))).toMatchObject({ status: 'firing', kind: 'down' });
  });

  it.each([
    ['{{#eq ALERT_TYPE}}{{/eq}}', '#eq and #contains also with a text in quotes'],
    ['{{#eq ALERT_TYPE CHECK_NAME}}{{/eq}}', '#eq and #contains also with a text in quotes'],
    ['{{#if ALERT_TYPE "x"}}{{/if}}', '{{#if}} is not supported'],
  ])('%s is refused', (template, message) => {
    const config = { name: 'x', url: 'https://hooks.example.com/', template };
    expect(validateChannel({ type: 'WEBHOOK', config })).toMatchObject([
      { message: expect.stringContaining(message) },
    ]);
  });
});
