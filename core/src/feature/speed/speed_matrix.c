/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Symmetric matrices in single precision. Do not reorder any operation: eigenvalues of nearly
 * singular matrices are rounding noise, and that noise is part of the score. */
#include <math.h>
#include <string.h>

#include "feature/speed/speed.h"

enum { N = SPEED_BLOCK, MAX_PASSES = 500 };

static float length_of(float a, float b)
{
    return sqrtf(a * a + b * b);
}

/* Multiplies the part of `a` from row and column p on by I - tau * v * v^T from both sides. v[p] is
 * 1. */
static void reflect(SpeedMatrix a, unsigned p, float tau, const float *v)
{
    float y[N];
    for (unsigned j = p; j < N; j++) {
        y[j] = 0.0f;
        for (unsigned k = p; k < N; k++)
            y[j] += tau * a[j][k] * v[k];
    }
    float dot = 0.0f;
    for (unsigned j = p; j < N; j++)
        dot += y[j] * v[j];
    const float alpha = (float)(-0.5 * tau * dot);
    for (unsigned j = p; j < N; j++)
        y[j] += alpha * v[j];
    for (unsigned j = p; j < N; j++) {
        for (unsigned k = p; k < N; k++)
            a[j][k] -= y[j] * v[k] + v[j] * y[k];
    }
}

/* One Householder step: clears column i below row i + 1. */
static void clear_column(SpeedMatrix a, unsigned i)
{
    const unsigned p = i + 1;
    float squares = 0.0f;
    for (unsigned j = p + 1; j < N; j++)
        squares += a[j][i] * a[j][i];
    const float tail = sqrtf(squares);
    if (tail == 0.0f)
        return;
    const float head = a[p][i];
    float beta = length_of(head, tail);
    if (head >= 0.0f)
        beta = -beta;
    const float tau = (beta - head) / beta, scale = head - beta;
    if (scale != 0.0f) {
        for (unsigned j = p; j < N; j++)
            a[j][i] /= scale;
        a[p][i] = beta;
    }
    if (tau == 0.0f)
        return;
    float v[N];
    for (unsigned j = p; j < N; j++)
        v[j] = a[j][i];
    v[p] = 1.0f;
    reflect(a, p, tau, v);
}

/* Sets off-diagonal elements to zero where they are negligible. */
static void chop(const float *d, float *e, unsigned low, unsigned high)
{
    for (unsigned i = low; i < high; i++) {
        if (fabsf(e[i]) < SPEED_EPSILON * (fabsf(d[i]) + fabsf(d[i + 1])))
            e[i] = 0.0f;
    }
}

/* Finds the Givens rotation (c, s) that turns (a, b) into (r, 0). */
static void rotation(float a, float b, float *c, float *s)
{
    if (b == 0.0f) {
        *c = 1.0f;
        *s = 0.0f;
        return;
    }
    const bool steep = fabsf(b) > fabsf(a);
    const float t = steep ? -a / b : -b / a;
    const float square = 1.0f + t * t;
    const float larger = (float)(1.0 / sqrt(square));
    *c = steep ? larger * t : larger;
    *s = steep ? larger : larger * t;
}

/* The eigenvalue of [[p, q], [q, r]] closer to r. */
static float shift_of(float p, float r, float q)
{
    const float h = (p - r) / 2.0f;
    if (h == 0.0f)
        return r - fabsf(q);
    const float step = q * (q / (fabsf(h) + length_of(h, q)));
    return h > 0.0f ? r - step : r + step;
}

/* One implicitly shifted QR pass over rows low…high of the tridiagonal matrix (d, e). */
static void sweep(float *d, float *e, unsigned low, unsigned high)
{
    float mu = shift_of(d[high - 1], d[high], e[high - 1]);
    if (SPEED_EPSILON * fabsf(mu) > fabsf(d[low]) + fabsf(e[low]))
        mu = 0.0f;
    float left = d[low], middle = e[low], right = d[low + 1];
    float ahead = high - low > 1 ? e[low + 1] : 0.0f;
    float trail = 0.0f, bulge = 0.0f;
    float f = left - mu, g = middle;
    for (unsigned k = low; k < high; k++) {
        float c, s;
        rotation(f, g, &c, &s);
        if (k > low)
            e[k - 1] = c * trail - s * bulge;
        const float u = s * left + c * middle, w = s * middle + c * right;
        d[k] = c * (c * left - s * middle) + s * (s * right - c * middle);
        trail = c * u - s * w;
        bulge = -s * ahead;
        left = s * u + c * w;
        middle = c * ahead;
        if (k + 1 < high) {
            e[k + 1] = middle;
            right = d[k + 2];
        }
        if (k + 2 < high)
            ahead = e[k + 2];
        f = trail;
        g = bulge;
    }
    d[high] = left;
    e[high - 1] = trail;
}

bool speed_eigenvalues(SpeedMatrix c, float d[SPEED_BLOCK])
{
    SpeedMatrix a;
    float e[N - 1];
    memcpy(a, c, sizeof(a));
    for (unsigned i = 0; i + 2 < N; i++)
        clear_column(a, i);
    for (unsigned i = 0; i < N; i++)
        d[i] = a[i][i];
    for (unsigned i = 0; i + 1 < N; i++)
        e[i] = a[i + 1][i];

    chop(d, e, 0, N - 1);
    unsigned high = N - 1, passes = 0;
    while (high > 0 && passes < MAX_PASSES) {
        if (e[high - 1] == 0.0f) {
            high--;
            continue;
        }
        unsigned low = high - 1;
        while (low > 0 && e[low - 1] != 0.0f)
            low--;
        sweep(d, e, low, high);
        chop(d, e, low, high);
        passes++;
    }
    return high == 0;
}

/* Replaces the rows of `m` from k on by those of (I - 2 v v^T) m. v is a unit vector that is zero
 * before k. */
static void reflect_rows(SpeedMatrix m, unsigned k, const float *v)
{
    SpeedMatrix out;
    for (unsigned i = k; i < N; i++) {
        memset(out[i], 0, sizeof(out[i]));
        for (unsigned j = k; j < N; j++) {
            const float h = -2.0f * v[i] * v[j] + (i == j ? 1.0f : 0.0f);
            for (unsigned x = 0; x < N; x++)
                out[i][x] += h * m[j][x];
        }
    }
    memcpy(m[k], out[k], (N - k) * sizeof(m[0]));
}

/* Computes the transposed orthogonal factor of the QR decomposition of c. */
static void orthogonal(SpeedMatrix c, SpeedMatrix q)
{
    SpeedMatrix z;
    memcpy(z, c, sizeof(z));
    memset(q, 0, sizeof(SpeedMatrix));
    for (unsigned i = 0; i < N; i++)
        q[i][i] = 1.0f;
    for (unsigned k = 0; k + 1 < N; k++) {
        float v[N], squares = 0.0f;
        for (unsigned i = k; i < N; i++) {
            v[i] = z[i][k];
            squares += v[i] * v[i];
        }
        const float length = sqrtf(squares);
        v[k] += c[k][k] >= 0.0f ? length : -length;
        squares = 0.0f;
        for (unsigned i = k; i < N; i++)
            squares += v[i] * v[i];
        const float norm = sqrtf(squares);
        for (unsigned i = k; i < N; i++)
            v[i] /= norm;
        reflect_rows(z, k, v);
        reflect_rows(q, k, v);
    }
}

/* out = q * y, for n columns. */
static void multiply(SpeedMatrix q, const float *y, float *out, size_t pitch, size_t n)
{
    for (unsigned i = 0; i < N; i++) {
        float *row = out + i * pitch;
        memset(row, 0, n * sizeof(*row));
        for (unsigned k = 0; k < N; k++) {
            for (size_t x = 0; x < n; x++)
                row[x] += q[i][k] * y[k * pitch + x];
        }
    }
}

bool speed_solve(SpeedMatrix c, const float *y, float *x, float *work, size_t pitch, size_t n)
{
    SpeedMatrix q, r;
    orthogonal(c, q);
    multiply(q, c[0], r[0], SPEED_ROW, N);
    multiply(q, y, work, pitch, n);
    for (unsigned i = N; i-- > 0;) {
        if (fabsf(r[i][i]) < SPEED_EPSILON)
            return false;
        float *row = work + i * pitch;
        for (unsigned k = i + 1; k < N; k++) {
            for (size_t j = 0; j < n; j++)
                row[j] -= x[k * pitch + j] * r[i][k];
        }
        for (size_t j = 0; j < n; j++)
            x[i * pitch + j] = row[j] / r[i][i];
    }
    return true;
}
