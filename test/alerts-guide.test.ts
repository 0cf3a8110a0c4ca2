/** What the guide to alerts says is true. */
import { testGuide } from './support/guide.ts';

testGuide('docs/alerts.md');
