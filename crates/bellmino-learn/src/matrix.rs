//! The little linear algebra that training needs.

/// A square matrix, row by row.
pub(crate) type Matrix = Vec<Vec<f64>>;

/// The matrix with these numbers on its diagonal.
pub(crate) fn diagonal(numbers: &[f64]) -> Matrix {
    let size = numbers.len();
    (0..size).map(|i| (0..size).map(|j| if i == j { numbers[i] } else { 0.0 }).collect()).collect()
}

pub(crate) fn transposed(matrix: &Matrix) -> Matrix {
    (0..matrix.len()).map(|i| matrix.iter().map(|row| row[i]).collect()).collect()
}

pub(crate) fn times(matrix: &Matrix, vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
}

/// The lower triangle L with L L^T = the matrix; directions without variance stay without.
pub(crate) fn cholesky(matrix: &Matrix) -> Matrix {
    let size = matrix.len();
    let mut factor = diagonal(&vec![0.0; size]);
    for i in 0..size {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
            let rest = matrix[i][j] - known;
            factor[i][j] = if i == j {
                rest.max(0.0).sqrt()
            } else if factor[j][j] > 1e-12 {
                rest / factor[j][j]
            } else {
                0.0
            };
        }
    }
    factor
}

/// Eigenvalues of a symmetric matrix and the matrix whose columns are the eigenvectors, by Jacobi's rotations.
pub(crate) fn eigen(matrix: &Matrix) -> (Vec<f64>, Matrix) {
    let size = matrix.len();
    let mut a = matrix.clone();
    let mut vectors = diagonal(&vec![1.0; size]);
    for _ in 0..100 {
        let off: f64 =
            (0..size).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j] * a[i][j]).sum();
        let all: f64 = a.iter().flatten().map(|x| x * x).sum();
        if off <= 1e-28 * all {
            break;
        }
        for p in 0..size {
            for q in p + 1..size {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for row in &mut a {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                for k in 0..size {
                    (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
                }
                for row in &mut vectors {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
            }
        }
    }
    ((0..size).map(|i| a[i][i]).collect(), vectors)
}

/// The solution x of `matrix` x = `right` by elimination with pivots; `None` if there is none or many.
pub(crate) fn solve(matrix: &Matrix, right: &[f64]) -> Option<Vec<f64>> {
    let size = right.len();
    let mut rows: Vec<Vec<f64>> =
        matrix.iter().zip(right).map(|(row, value)| row.iter().copied().chain([*value]).collect()).collect();
    for pivot in 0..size {
        let best = (pivot..size).max_by(|&i, &j| rows[i][pivot].abs().total_cmp(&rows[j][pivot].abs()))?;
        rows.swap(pivot, best);
        if rows[pivot][pivot].abs() < 1e-12 {
            return None;
        }
        for i in 0..size {
            if i != pivot {
                let factor = rows[i][pivot] / rows[pivot][pivot];
                for j in pivot..=size {
                    rows[i][j] -= factor * rows[pivot][j];
                }
            }
        }
    }
    Some((0..size).map(|i| rows[i][size] / rows[i][i]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: &[f64], b: &[f64]) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9), "{a:?} {b:?}");
    }

    #[test]
    fn factors_eigenvectors_and_solutions() {
        let matrix = vec![vec![4.0, 1.0, 0.5], vec![1.0, 3.0, -1.0], vec![0.5, -1.0, 2.0]];
        let factor = cholesky(&matrix);
        for i in 0..3 {
            for j in 0..3 {
                let product: f64 = (0..3).map(|k| factor[i][k] * factor[j][k]).sum();
                close(&[product], &[matrix[i][j]]);
            }
        }
        let (values, vectors) = eigen(&matrix);
        let columns = transposed(&vectors);
        for (value, vector) in values.iter().zip(&columns) {
            let scaled: Vec<f64> = vector.iter().map(|x| x * value).collect();
            close(&times(&matrix, vector), &scaled);
        }
        let x = solve(&matrix, &[1.0, 2.0, 3.0]).unwrap();
        close(&times(&matrix, &x), &[1.0, 2.0, 3.0]);
        assert_eq!(solve(&vec![vec![1.0, 1.0], vec![1.0, 1.0]], &[1.0, 2.0]), None);
    }
}
