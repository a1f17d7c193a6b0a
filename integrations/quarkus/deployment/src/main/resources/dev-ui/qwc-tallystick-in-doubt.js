import { QwcHotReloadElement, html, css } from 'qwc-hot-reload-element';
import { JsonRpc } from 'jsonrpc';

const REFRESH_MILLIS = 5000; // so long an answer is kept

/**
 * The transactions in doubt as a table, with the names of docs/in-doubt.md. It shows whatever names the model has, so
 * that a new one needs no change here. Values are texts: lit escapes them.
 */
export class QwcTallystickInDoubt extends QwcHotReloadElement {
    jsonRpc = new JsonRpc(this, false);

    static styles = css`
        :host { display: block; padding: 10px; overflow: auto; height: 100%; }
        table { border-collapse: collapse; }
        th, td { text-align: left; vertical-align: top; padding: 4px 12px 4px 0; }
        th { color: var(--lumo-secondary-text-color); font-weight: normal; }
        tbody tr { border-top: 1px solid var(--lumo-contrast-10pct); }
        .error { color: var(--lumo-error-text-color); }
    `;

    static properties = {
        _report: { state: true },
        _failure: { state: true },
    };

    connectedCallback() {
        super.connectedCallback();
        this._timer = setInterval(() => this.hotReload(), REFRESH_MILLIS);
        this.hotReload();
    }

    disconnectedCallback() {
        clearInterval(this._timer);
        super.disconnectedCallback();
    }

    hotReload() {
        this.jsonRpc.inDoubt().then(
            (answer) => { this._report = answer.result; this._failure = null; },
            (failed) => { this._failure = failed?.error?.message ?? 'the application does not answer'; });
    }

    render() {
        return html`
            ${this._failure ? html`<p class="error">No answer: ${this._failure}</p>` : ''}
            ${this._report ? this._renderReport(this._report) : html`<p>Loading</p>`}
        `;
    }

    _renderReport(report) {
        if (!report.listed) {
            return html`<p class="error">The log cannot be listed. The health check "tallystick" has its state.</p>`;
        }
        const hidden = report.unseen + Object.values(report.countByState).reduce((sum, count) => sum + count, 0)
            - report.transactions.length;
        return html`
            <p>${this._pairs(report.countByState) || 'Nothing is in doubt.'}</p>
            ${report.oldestOpen ? html`<p>Oldest open transaction: ${this._pairs(report.oldestOpen)}</p>` : ''}
            ${report.transactions.length ? this._renderTable(report.transactions) : ''}
            ${hidden > 0 ? html`<p>${hidden} more are not shown: <code>tallystick list --in-doubt</code></p>` : ''}
        `;
    }

    _renderTable(transactions) {
        const names = [...new Set(transactions.flatMap((transaction) => Object.keys(transaction)))];
        return html`
            <table>
                <thead><tr>${names.map((name) => html`<th>${name}</th>`)}</tr></thead>
                <tbody>${transactions.map((transaction) => html`
                    <tr>${names.map((name) => html`<td>${this._renderValue(transaction[name])}</td>`)}</tr>`)}
                </tbody>
            </table>
        `;
    }

    _renderValue(value) {
        return Array.isArray(value) ? value.map((each) => html`<div>${this._pairs(each)}</div>`) : value ?? '';
    }

    _pairs(values) {
        return Object.entries(values).map(([name, value]) => `${name}=${value}`).join(' ');
    }
}

customElements.define('qwc-tallystick-in-doubt', QwcTallystickInDoubt);
